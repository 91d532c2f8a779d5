package io.gpudra.controller.allocation.search;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.primitives.ImmutableLongArray;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LinkOptimizerTest {
  /** Each GPU has two neighbours, of which the last one is that of the first. */
  private static final LinkGraph RING =
      new LinkGraph(
          ImmutableLongArray.copyOf(
              LongStream.range(0, Long.SIZE)
                  .map(i -> Long.rotateLeft(1, (int) i + 1) | Long.rotateLeft(1, (int) i - 1))
                  .toArray()));

  private final AtomicInteger steps = new AtomicInteger();

  private record Some(AtomicInteger steps, int wanted, long chosen, boolean leadsNowhere)
      implements LinkOptimizer.Assignment<Some> {

    @Override
    public boolean isServed() {
      return Long.bitCount(chosen) == wanted;
    }

    @Override
    public long next() {
      return ~chosen;
    }

    @Override
    public Optional<Some> and(int gpu) {
      steps.incrementAndGet();
      return leadsNowhere
          ? Optional.empty()
          : Optional.of(new Some(steps, wanted, chosen | 1L << gpu, false));
    }
  }

  private Optional<Some> best(int wanted, long otherwise, boolean leadsNowhere) {
    Some start = new Some(steps, wanted, 0, leadsNowhere);
    return new LinkOptimizer(RING)
        .best(start, Optional.of(new Some(steps, wanted, otherwise, leadsNowhere)));
  }

  @Test
  void linksEndTheLookingWhenThereCanBeNoMore() {
    assertThat(best(2, 0b101, false).orElseThrow().chosen()).isEqualTo(0b11);
    assertThat(steps).hasValue(2);
  }

  @Test
  void nobodyLooksLongerThanIsAllowed() {
    assertThat(best(40, 0x55_5555_5555L, false).orElseThrow().chosen()).isEqualTo(0xFF_FFFF_FFFFL);
    assertThat(steps).hasValueLessThanOrEqualTo(256);
  }

  @Test
  void whatLeadsNowhereIsNotTakenAndEnds() {
    assertThat(best(40, 0x55_5555_5555L, true).orElseThrow().chosen()).isEqualTo(0x55_5555_5555L);
    assertThat(steps).hasValueLessThanOrEqualTo(256);
  }
}
