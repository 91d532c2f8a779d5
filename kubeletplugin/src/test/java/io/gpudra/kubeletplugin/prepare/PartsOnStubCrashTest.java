package io.gpudra.kubeletplugin.prepare;

import com.google.common.collect.ImmutableList;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.Stubs;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.nio.file.Path;

/** The same with the GPUs of a driver. */
class PartsOnStubCrashTest extends PartsCrashTest {

  @Override
  FakeNode node(Path place) throws IOException {
    return new FakeNode(
        place,
        Stubs.driver(
            place.resolve("driver"), StubDriver.NEWEST, Parts.hoppers(2), ImmutableList.of()));
  }
}
