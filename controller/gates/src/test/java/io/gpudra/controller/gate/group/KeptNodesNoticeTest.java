package io.gpudra.controller.gate.group;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The event about nodes that are kept, as the controller writes it and commands read it. */
final class KeptNodesNoticeTest {
  private static final Instant UNTIL = Instant.parse("2026-01-01T00:35:01.987Z");

  @Test
  void theTextSaysUntilWhenAndHasTheFirstNodes() {
    KeptNodesNotice notice = KeptNodesNotice.of(ImmutableList.of("a", "b"), UNTIL);
    assertThat(notice.text())
        .isEqualTo("nodes are kept for the group until 2026-01-01T00:35:01Z: a, b");
    assertThat(
            KeptNodesNotice.of(
                    IntStream.range(0, 10)
                        .mapToObj(i -> "n" + i)
                        .collect(
                            Collectors.collectingAndThen(
                                Collectors.toList(), ImmutableList::copyOf)),
                    UNTIL)
                .nodes())
        .isEqualTo("n0, n1, n2, n3, n4, n5, n6, n7 and 2 more");
  }

  @Test
  void theTextIsReadAgain() {
    KeptNodesNotice notice = KeptNodesNotice.of(ImmutableList.of("a", "b"), UNTIL);
    assertThat(KeptNodesNotice.parse(notice.text())).hasValue(notice);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nodes are kept for the group until tomorrow: a",
        "nodes are kept for the group until 2026-13-01T00:35:01Z: a",
        "nodes are kept for the group until 2026-01-01T00:35:01Z: ",
        "of course nodes are kept for the group until 2026-01-01T00:35:01Z: a",
      })
  void anyOtherTextIsNoNotice(String text) {
    assertThat(KeptNodesNotice.parse(text)).isEmpty();
  }
}
