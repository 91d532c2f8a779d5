package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.Parts.share;
import static io.gpudra.kubeletplugin.testing.Parts.with;

import io.gpudra.kubeletplugin.testing.FakeNode;
import java.util.stream.Stream;

/** The same where a container runtime ends all that the process started, when that dies. */
class MpsInContainerCrashTest extends MpsOnStubCrashTest {

  static Stream<Pair> pairs() {
    return Stream.of(
        new Pair("shares with a server", with(MPS, share(0, 4)), with(MPS, share(0, 8))));
  }

  @Override
  void died(FakeNode node) {
    node.killServers();
  }
}
