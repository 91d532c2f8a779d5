package io.gpudra.scenarios.script;

import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.FormatMethod;
import org.jspecify.annotations.Nullable;

/** What is wrong, one sentence each. */
final class Differences {
  private final ImmutableList.Builder<String> sentences = ImmutableList.builder();

  @FormatMethod
  void add(String sentence, @Nullable Object... values) {
    sentences.add(String.format(sentence, values));
  }

  ImmutableList<String> all() {
    return sentences.build();
  }
}
