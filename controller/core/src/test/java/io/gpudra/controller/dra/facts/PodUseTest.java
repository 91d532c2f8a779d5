package io.gpudra.controller.dra.facts;

import static io.gpudra.controller.dra.testing.Some.claim;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.PodFacts.Container;
import io.gpudra.controller.dra.facts.PodUse.Entry;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which claims a container uses, by the bits of its entries. */
final class PodUseTest {
  private static Entry entry(String name, Optional<ClaimFacts> claim) {
    return new Entry(name, claim, Optional.empty());
  }

  private static Entry entry(String name) {
    return entry(name, Optional.of(claim("c-" + name).facts()));
  }

  @Test
  void aContainerUsesTheClaimsOfItsEntriesEachOnce() {
    ClaimFacts shared = claim("shared").facts();
    Entry one = entry("one", Optional.of(shared));
    Entry other = entry("other", Optional.of(shared));
    PodUse use =
        new PodUse(
            ImmutableList.of(entry("a"), one, entry("b"), other, entry("none", Optional.empty())),
            ImmutableList.of());

    assertThat(use.usedBy(new Container("main", 0b11011))).hasSize(2).doesNotContain(claimB());
    assertThat(use.usedBy(new Container("main", 0b00100))).containsExactly(claimB());
    assertThat(use.usedBy(new Container("main", 0))).isEmpty();
    assertThat(use.entry("b")).contains(entry("b"));
    assertThat(use.entry("c")).isEmpty();
  }

  private static ClaimFacts claimB() {
    return claim("c-b").facts();
  }

  @Test
  void whatComesAfterThe64thEntryIsNotUsed() {
    ImmutableList<Entry> entries =
        IntStream.range(0, 66)
            .mapToObj(i -> entry("" + i))
            .collect(ImmutableList.toImmutableList());
    PodUse use = new PodUse(entries, ImmutableList.of());

    assertThat(use.usedBy(new Container("last", Long.MIN_VALUE)))
        .extracting(claim -> claim.ref().name())
        .containsExactly("c-63");
    assertThat(use.usedBy(new Container("first", 1)))
        .extracting(claim -> claim.ref().name())
        .containsExactly("c-0");
  }
}
