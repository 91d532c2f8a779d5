package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.Parts.mig;
import static io.gpudra.kubeletplugin.testing.Parts.share;
import static io.gpudra.kubeletplugin.testing.Parts.with;

import com.google.common.collect.ImmutableList;
import io.gpudra.kubeletplugin.device.mps.FaultyMps;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;

/** The same with servers that are processes, at each point of their start and of their end. */
class MpsOnStubCrashTest extends PartsCrashTest {

  private final List<FaultyMps> all = new ArrayList<>();

  static Stream<Pair> pairs() {
    return Stream.of(
        new Pair("shares with a server", with(MPS, share(0, 4)), with(MPS, share(0, 8))),
        new Pair("server of one's own", with(MPS, mig(0, "1g.5gb", 0)), mig(0, "1g.5gb", 1)));
  }

  @Override
  FakeNode node(Path place) throws IOException {
    Stubs.assumeMounts(Files.createDirectories(directory));
    StubDriver driver =
        Stubs.driver(
            place.resolve("driver"), StubDriver.NEWEST, Parts.hoppers(2), ImmutableList.of());
    FaultyMps servers = new FaultyMps(place.resolve("mps"), driver);
    all.add(servers);
    return new FakeNode(place, driver, servers);
  }

  @AfterEach
  void endAll() throws IOException {
    for (FaultyMps servers : all) {
      servers.kill();
      servers.of(new Faults()).stopAll();
    }
  }
}
