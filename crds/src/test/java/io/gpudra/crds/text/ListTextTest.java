package io.gpudra.crds.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.Lists;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListTextTest {
  private static final List<String> NINE = List.of("a", "b", "c", "d", "e", "f", "g", "h", "i");

  @Test
  void asManyAsAreAllowedAreAllNamed() {
    assertThat(ListText.of(NINE.subList(0, 8))).isEqualTo("a, b, c, d, e, f, g, h");
    assertThat(ListText.of(NINE, 9)).isEqualTo("a, b, c, d, e, f, g, h, i");
    assertThat(ListText.of(List.of())).isEmpty();
  }

  @Test
  void theOthersAreCounted() {
    assertThat(ListText.of(NINE)).isEqualTo("a, b, c, d, e, f, g, h and 1 more");
    assertThat(ListText.of(NINE, 2)).isEqualTo("a, b and 7 more");
  }

  @Test
  void whatIsOnlyCountedIsNotRead() {
    List<String> read = new ArrayList<>();
    assertThat(ListText.of(Lists.transform(NINE, text -> noted(text, read)), 2))
        .isEqualTo("a, b and 7 more");
    assertThat(read).containsExactly("a", "b");
  }

  private static String noted(String text, List<String> read) {
    read.add(text);
    return text;
  }
}
