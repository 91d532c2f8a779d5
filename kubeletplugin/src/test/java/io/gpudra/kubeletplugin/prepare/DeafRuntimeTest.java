package io.gpudra.kubeletplugin.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Refused;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.testing.FakeNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A container runtime that does not read CDI files. */
class DeafRuntimeTest {
  private static final PrepareRefusal WHY =
      new PrepareRefusal(
          PrepareRefusal.Kind.FAILED, "enable_cdi is not true in /etc/containerd/config.toml");

  @TempDir Path directory = Path.of("");

  @Test
  void aPodIsToldAndDoesNotRunWithoutItsGpus() throws IOException {
    FakeNode node = new FakeNode(directory);
    ClaimPreparer preparer = node.start();
    node.deafRuntime = Optional.of(WHY.text());

    assertThat(prepare(node, preparer)).isEqualTo(new Refused(WHY));
    assertThat(preparer.held()).isEmpty();
    assertThat(node.specs()).isEmpty();

    node.deafRuntime = Optional.empty();
    assertThat(prepare(node, preparer)).isInstanceOf(Ready.class);

    node.deafRuntime = Optional.of(WHY.text());
    assertThat(prepare(node, preparer)).as("a second pod").isEqualTo(new Refused(WHY));
    assertThat(preparer.unprepare(node.request("u1", 0).uid(), FakeNode.ref("u1"), anyTime()))
        .isEmpty();
    assertThat(node.specs()).isEmpty();
  }

  private static PrepareOutcome prepare(FakeNode node, ClaimPreparer preparer) {
    return preparer.prepare(node.request("u1", 0), anyTime());
  }

  private static PrepareCall anyTime() {
    return PrepareCall.withoutDeadline();
  }
}
