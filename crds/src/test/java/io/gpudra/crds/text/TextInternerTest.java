package io.gpudra.crds.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TextInternerTest {
  private static final int ONCE = 2_000;

  private final TextInterner texts = new TextInterner();

  /** Equal to others and none of them. */
  private static String made(String text) {
    return String.valueOf(text.toCharArray());
  }

  @Test
  void aTextThatComesAgainIsTheSame() {
    String first = texts.remembered(made("worker-0001"));

    assertThat(texts.remembered(made("worker-0001"))).isSameAs(first);
    assertThat(texts.remembered(made("worker-0002"))).isEqualTo("worker-0002");
  }

  @Test
  void textsThatComeOnceDoNotTakeThePlaceOfOneThatComesOften() {
    String name = texts.remembered(made("worker-0001"));
    for (int round = 0; round < 100; round++) {
      IntStream.range(round * ONCE, (round + 1) * ONCE).forEach(i -> texts.remembered("uid-" + i));
      assertThat(texts.remembered(made("worker-0001"))).isSameAs(name);
    }
  }

  @Test
  void whatDoesNotComeAnyMoreIsForgotten() {
    String name = texts.remembered(made("worker-0001"));
    texts.remembered(made("worker-0001"));
    IntStream.range(0, 400 * ONCE).forEach(i -> texts.remembered("uid-" + i));

    assertThat(texts.remembered(made("worker-0001"))).isNotSameAs(name);
  }

  @Test
  void longTextsAreNotKept() {
    String text = "x".repeat(65);
    texts.remembered(text);

    assertThat(texts.remembered(made(text))).isNotSameAs(text);
  }
}
