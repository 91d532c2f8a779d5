package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Entry;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Phase;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Remembered;
import io.gpudra.kubeletplugin.checkpoint.CheckpointFile;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.prepare.call.PrepareRequest;
import io.gpudra.kubeletplugin.testing.FakeNode;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Claims and names count together, and a claim under its old name once. */
class MostClaimsTest {

  private static final int MAX = CheckpointCache.MAX;

  @TempDir Path directory = Path.of("");

  private static PrepareRequest request(FakeNode node, String uid) {
    return node.request(uid, new GrantedDevice[0]);
  }

  private PrepareDecision oneMoreBeside(int held, String remembered) throws InterruptedException {
    FakeNode node = new FakeNode(directory);
    ImmutableMap.Builder<ClaimUid, Entry> claims = ImmutableMap.builder();
    for (int i = 0; i < held; i++) {
      String uid = "u" + i;
      claims.put(
          new ClaimUid(uid),
          new Entry(
              Phase.PREPARED,
              ref(uid),
              request(node, uid).grant(),
              ImmutableMap.of(),
              Optional.empty()));
    }
    Remembered name = new Remembered(ref(remembered), request(node, remembered).grant());
    Checkpoint before = new Checkpoint(node.bootId, claims.buildOrThrow(), ImmutableList.of(name));
    return new NodeClaims(
            new CheckpointCache(before, new CheckpointFile(node.checkpoint), node.devices))
        .enter(request(node, "more"), PrepareCall.withoutDeadline(), System.nanoTime());
  }

  @Test
  void aNameThatTheKubeletMayUseTakesAPlace() throws InterruptedException {
    assertThat(oneMoreBeside(MAX - 1, "old"))
        .isEqualTo(
            PrepareDecision.refused(
                PrepareRefusal.Kind.BUSY,
                "512 claims are prepared on this node, as many as it may have at a time"));
  }

  @Test
  void theLastPlaceIsGiven() throws InterruptedException {
    assertThat(oneMoreBeside(MAX - 2, "old")).isEqualTo(PrepareDecision.BEGIN);
  }

  @Test
  void theNameOfAHeldClaimTakesNone() throws InterruptedException {
    assertThat(oneMoreBeside(MAX - 1, "u7")).isEqualTo(PrepareDecision.BEGIN);
  }
}
