package io.gpudra.controller.memory;

import com.google.common.collect.ImmutableList;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A key that has the hash of thousands of others, and counts how often it is compared. */
final class Colliding {
  private static final int BITS = 16;

  private final int number;
  private final int[] compared;

  Colliding(int number, int[] compared) {
    this.number = number;
    this.compared = compared;
  }

  /** Names of Kubernetes objects that have one hash. */
  static ImmutableList<String> names(int count) {
    return IntStream.range(0, count)
        .mapToObj(Colliding::name)
        .collect(ImmutableList.toImmutableList());
  }

  private static String name(int number) {
    StringBuilder name = new StringBuilder();
    for (int bit = 0; bit < BITS; bit++) {
      name.append((number >> bit & 1) == 0 ? "an" : "c0");
    }
    return name.toString();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    compared[0]++;
    return other instanceof Colliding that && number == that.number;
  }

  @Override
  public int hashCode() {
    return 1;
  }
}
