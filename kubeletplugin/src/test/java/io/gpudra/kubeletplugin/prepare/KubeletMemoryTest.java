package io.gpudra.kubeletplugin.prepare;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Entry;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Phase;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Remembered;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KubeletMemoryTest {

  private static Remembered claim(String name, String uid) {
    Grant grant = GrantFixture.grant(new ClaimUid(uid), "worker-1");
    return new Remembered(new ClaimRef("team-a", name), grant);
  }

  private static ImmutableList<Remembered> claims(String name, int number) {
    return IntStream.range(0, number)
        .mapToObj(i -> claim(name + i, name + i))
        .collect(toImmutableList());
  }

  private static ImmutableMap<ClaimUid, Entry> held(ImmutableList<Remembered> claims) {
    return claims.stream()
        .collect(
            toImmutableMap(
                claim -> claim.grant().claim(),
                claim ->
                    new Entry(
                        Phase.PREPARED,
                        claim.ref(),
                        claim.grant(),
                        ImmutableMap.of(),
                        Optional.empty())));
  }

  private static KubeletMemory of(
      ImmutableList<Remembered> held, ImmutableList<Remembered> remembered) {
    return KubeletMemory.of(new Checkpoint("boot-1", held(held), remembered));
  }

  @Test
  void allThatANodeCanHoldIsRemembered() {
    ImmutableList<Remembered> held = claims("held", CheckpointCache.MAX);

    assertThat(of(held, claims("older", 300)).claims()).containsExactlyInAnyOrderElementsOf(held);
  }

  @Test
  void ofWhatIsOlderTheNewestIsKept() {
    ImmutableList<Remembered> held = claims("held", CheckpointCache.MAX - 2);
    ImmutableList<Remembered> older = claims("older", 300);

    assertThat(of(held, older).claims())
        .hasSize(CheckpointCache.MAX)
        .startsWith(older.get(298), older.get(299));
  }

  @Test
  void theNewestHandleOfANameCounts() {
    ImmutableList<Remembered> now = ImmutableList.of(claim("train", "u2"));

    assertThat(of(now, ImmutableList.of(claim("train", "u1"), claim("other", "u3"))).claims())
        .containsExactly(claim("other", "u3"), claim("train", "u2"));
  }
}
