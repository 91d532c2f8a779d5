package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.FakeNode.HASTY;
import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Refused;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import io.gpudra.kubeletplugin.testing.Parts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Claims without devices are without number, if nobody counts them. */
class FullNodeTest {
  @TempDir Path directory = Path.of("");

  @Test
  void preparesNoMoreClaimsThanAnInventoryLists() throws IOException {
    FakeNode node = new FakeNode(directory, Parts.gpus(1));
    Files.createDirectories(node.cdi);
    ClaimPreparer preparer = node.start(new Faults(), HASTY);
    for (int i = 0; i < 512; i++) {
      assertThat(prepare(preparer, node, "u" + i)).isInstanceOf(Ready.class);
    }

    PrepareOutcome oneMore = prepare(preparer, node, "more");

    assertThat(oneMore).isInstanceOf(Refused.class);
    assertThat(((Refused) oneMore).refusal().text())
        .isEqualTo("512 claims are prepared on this node, as many as it may have at a time");
    assertThat(preparer.listed()).hasSize(512);
    assertThat(prepare(preparer, node, "u7")).isInstanceOf(Ready.class);

    assertThat(preparer.unprepare(new ClaimUid("u7"), ref("u7"), PrepareCall.withoutDeadline()))
        .isEmpty();
    assertThat(prepare(preparer, node, "more")).isInstanceOf(Ready.class);
  }

  private static PrepareOutcome prepare(ClaimPreparer preparer, FakeNode node, String uid) {
    return preparer.prepare(node.request(uid, new GrantedDevice[0]), PrepareCall.withoutDeadline());
  }
}
