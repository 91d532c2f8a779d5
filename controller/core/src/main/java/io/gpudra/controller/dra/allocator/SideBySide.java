package io.gpudra.controller.dra.allocator;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Writes of one unit of work, several at a time: the pool that runs them serves all tenants. */
public final class SideBySide {
  private static final int AT_ONCE = 32;

  private SideBySide() {}

  /** Does the step for each and waits for all, even if one failed: no write runs unattended. */
  public static <T, R> ImmutableList<R> each(
      ImmutableList<T> items, Function<? super T, ? extends R> step, Executor writes) {
    ImmutableList.Builder<R> done = ImmutableList.builder();
    for (List<T> part : Lists.partition(items, AT_ONCE)) {
      ImmutableList<CompletableFuture<R>> steps =
          part.stream()
              .map(item -> CompletableFuture.<R>supplyAsync(() -> step.apply(item), writes))
              .collect(toImmutableList());
      CompletableFuture.allOf(steps.toArray(CompletableFuture[]::new)).join();
      steps.forEach(one -> done.add(one.join()));
    }
    return done.build();
  }
}
