package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.FakeNode.HASTY;
import static io.gpudra.kubeletplugin.testing.Parts.whole;
import static io.gpudra.kubeletplugin.testing.Parts.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.kubeletplugin.device.ForwardingDevices;
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import io.gpudra.kubeletplugin.testing.Parts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Claims whose containers wait for an MPS server that serves another user. */
class SharingWaitsTest {

  private static final SharingStrategy MPS =
      new SharingStrategy.Mps(OptionalInt.empty(), OptionalLong.empty());

  @TempDir Path directory = Path.of("");

  @Test
  void theClaimWhoseServerHasAQueueIsListedWithIt() throws IOException {
    FakeNode node = new FakeNode(directory, Parts.gpus(2));
    node.devices = new Queued(node.devices);
    ClaimPreparer preparer = node.start(new Faults(), HASTY);
    prepare(node, preparer, "u1", with(MPS, whole(0)));
    prepare(node, preparer, "u2", whole(1));

    assertThat(preparer.listed())
        .extracting(claim -> claim.uid().value(), PreparedClaim::waits)
        .containsExactly(
            tuple("u1", Optional.of("server gpu-0 has a queue")), tuple("u2", Optional.empty()));
  }

  private static void prepare(
      FakeNode node, ClaimPreparer preparer, String uid, GrantedDevice device) {
    preparer.prepare(node.request(uid, device), PrepareCall.withoutDeadline());
  }

  private static final class Queued extends ForwardingDevices {
    private final GpuDevices devices;

    Queued(GpuDevices devices) {
      this.devices = devices;
    }

    @Override
    protected GpuDevices delegate() {
      return devices;
    }

    @Override
    public Optional<String> mpsQueue(String name) {
      return Optional.of("server %s has a queue".formatted(name));
    }
  }
}
