package io.gpudra.kubeletplugin.device.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContainerLabelTest {

  @TempDir Path directory = Path.of("");

  @ParameterizedTest
  @CsvSource({
    "system_u:object_r:var_lib_t:s0, system_u:object_r:container_file_t:s0",
    "'system_u:object_r:container_file_t:s0:c1,c2', system_u:object_r:container_file_t:s0",
    "user_u:other_r:tmpfs_t, user_u:other_r:container_file_t:s0",
  })
  void aLabelLetsEveryContainerIn(String before, String after) throws IOException {
    FileLabels.set(directory, before);

    ContainerLabel.set(directory);

    assertThat(FileLabels.get(directory)).contains(after);
  }

  @Test
  void whereThereAreNoLabelsNoneIsSet() throws IOException {
    Assumptions.assumeTrue(FileLabels.get(directory).isEmpty(), "SELinux labels this file");

    ContainerLabel.set(directory);

    assertThat(FileLabels.get(directory)).isEmpty();
  }

  @Test
  void aLabelThatCannotBeSetStopsNothing() {
    ContainerLabel.set(directory.resolve("absent"));
  }
}
