package io.gpudra.controller.dra.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many more pods than devices. */
final class LoadTest {
  private static final int DEVICES = 100;
  private static final int ENDS_A_TICK = 2;
  private static final Duration LATEST_POLL = Duration.ofSeconds(33);

  @ParameterizedTest
  @ValueSource(ints = {1_000, 3_000})
  void allRunOldestFirstAndWhatAPodCostsDoesNotGrowWithTheirNumber(int pods) {
    Crowd crowd = new Crowd(DEVICES);
    crowd.arrive(pods);
    while (crowd.waiting() > 0 || !crowd.idle()) {
      crowd.tick(ENDS_A_TICK);
    }
    assertThat(crowd.served).isEqualTo(IntStream.range(0, pods).boxed().toList());
    assertThat(crowd.elapsed())
        .as("no device stays free while somebody waits for it")
        .isLessThan(Crowd.TICK.multipliedBy(pods / ENDS_A_TICK + 5));
    assertThat(crowd.calls())
        .as("read, finalizer, grant, news at most once more than others, and 2 for the release")
        .isLessThanOrEqualTo(6L * pods);
    assertThat(crowd.judged())
        .as("its node and then all: when it arrives, was told, is woken, and at each poll")
        .isLessThanOrEqualTo(8L * pods + 2 * crowd.polls());
    assertThat(crowd.world.cluster.claims).isEmpty();
    assertThat(crowd.world.driver.holds).isEmpty();
  }

  @Test
  void whoNeverFitsHoldsNobodyUpAndIsStillLookedAt() {
    int never = 40;
    int pods = 1_000;
    Crowd crowd = new Crowd(DEVICES);
    for (int pod = 0; pod < never; pod++) {
      crowd.world.driver.unsuitableFor.put("c" + pod, ImmutableSet.copyOf(crowd.nodes));
    }
    crowd.arrive(pods);
    while (crowd.waiting() > never) {
      crowd.tick(ENDS_A_TICK);
    }
    assertThat(crowd.elapsed())
        .as("no device stays free for long")
        .isLessThan(Crowd.TICK.multipliedBy(pods / ENDS_A_TICK));
    assertThat(crowd.longestUnseen()).isLessThanOrEqualTo(LATEST_POLL);
  }
}
