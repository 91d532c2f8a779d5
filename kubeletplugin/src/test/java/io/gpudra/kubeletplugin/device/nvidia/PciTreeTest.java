package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.node.AttributeValues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PciTreeTest {
  private static final String BUS_ID = "0000:00:1e.0";

  /** The kernel's own names of files: a fake GPU has the names that the plugin reads. */
  @Test
  void attributesAreReadFromTheFilesOfTheKernel(@TempDir Path sys) throws IOException {
    PciTree pci = new PciTree(sys);
    assertThat(pci.attributes(BUS_ID)).isSameAs(AttributeValues.NONE);

    Path device = Files.createDirectories(sys.resolve("bus/pci/devices").resolve(BUS_ID));
    Files.writeString(device.resolve("device"), "0x1eb8\n");

    assertThat(pci.attributes(BUS_ID).texts()).isEqualTo(ImmutableMap.of("pcieDeviceID", "1eb8"));
  }
}
