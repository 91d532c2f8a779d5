package io.gpudra.kubeletplugin.prepare;

import com.google.common.collect.ImmutableList;
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.device.mps.FakeMpsServers;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;

/** The same with the GPUs of a driver. */
class PartsOnStubCrashTest extends PartsCrashTest {

  private final Map<FakeNode, StubDriver> drivers = new HashMap<>();
  private final Map<FakeNode, GpuDevices> strangers = new HashMap<>();

  @Override
  FakeNode node(Path place) throws IOException {
    StubDriver driver =
        Stubs.driver(
            place.resolve("driver"), StubDriver.NEWEST, Parts.hoppers(2), ImmutableList.of());
    FakeNode node = new FakeNode(place, driver);
    drivers.put(node, driver);
    return node;
  }

  /** With a session of its own, of which the plugin hears nothing. */
  @Override
  GpuDevices stranger(FakeNode node) throws IOException {
    GpuDevices stranger = Stubs.open(drivers.get(node), new FakeMpsServers());
    strangers.put(node, stranger);
    return stranger;
  }

  @AfterEach
  void leave() throws Exception {
    for (GpuDevices stranger : strangers.values()) {
      stranger.close();
    }
  }
}
