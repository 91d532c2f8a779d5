package io.gpudra.controller.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.check.Finding;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Which findings are shown. */
class FindingDebouncerTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final FindingDebouncer findingDebouncer = new FindingDebouncer(Duration.ofSeconds(10));

  private static Finding finding(String node, String what) {
    return new Finding(
        Finding.Kind.DRAINING, node, ImmutableSortedMap.of(), ImmutableSortedSet.of("GPU-0"), what);
  }

  private ImmutableList<Finding> after(int seconds, Finding... found) {
    return findingDebouncer.of(ImmutableList.copyOf(found), START.plusSeconds(seconds));
  }

  @Test
  void aFindingIsShownOnceItHasLasted() {
    assertThat(after(0, finding("n1", "for 1 s"))).isEmpty();
    assertThat(after(9, finding("n1", "for 10 s"), finding("n2", "new"))).isEmpty();

    assertThat(after(10, finding("n1", "for 11 s"), finding("n2", "new")))
        .containsExactly(finding("n1", "for 11 s"));
  }

  @Test
  void oneThatComesBackBeginsAnew() {
    after(0, finding("n1", ""));
    after(5);

    assertThat(after(12, finding("n1", ""))).isEmpty();
    assertThat(after(22, finding("n1", ""))).hasSize(1);
  }
}
