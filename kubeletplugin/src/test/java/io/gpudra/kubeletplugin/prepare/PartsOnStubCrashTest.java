package io.gpudra.kubeletplugin.prepare;

import com.google.common.collect.ImmutableList;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Parts;
import io.gpudra.kubeletplugin.testing.StubDriver;
import java.io.IOException;
import java.nio.file.Path;

/** The same with the GPUs of a driver. */
class PartsOnStubCrashTest extends PartsCrashTest {

  @Override
  FakeNode node(Path place) throws IOException {
    StubDriver driver =
        StubDriver.of(
            place.resolve("driver"), StubDriver.NEWEST, Parts.hoppers(2), ImmutableList.of());
    driver.program("nvidia-smi", 0);
    return new FakeNode(place, driver);
  }
}
