package io.gpudra.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BinaryTest {

  @Test
  void runsWithTheFlagsOfTheImageAndTheMemoryOfThePod(@TempDir Path root) throws IOException {
    Path module = root.resolve("controller");
    Path jar =
        Files.createFile(
            Files.createDirectories(module.resolve("target")).resolve("gpudra-controller-1.jar"));
    Files.writeString(
        root.resolve("pom.xml"),
        "<project><jvmFlags><jvmFlag>-XX:+UseSerialGC</jvmFlag>"
            + "<jvmFlag>-XX:MaxRAMPercentage=${image.heap-percentage}</jvmFlag></jvmFlags></project>");
    Files.writeString(
        Files.createDirectories(module.resolve("manager")).resolve("pom.xml"),
        "<project><image.heap-percentage>60</image.heap-percentage>"
            + "<jvmFlag>-XX:NewRatio=4</jvmFlag></project>");
    Files.writeString(
        Files.createDirectories(root.resolve("manifests/base")).resolve("controller.yaml"),
        "spec: {template: {spec: {containers: [{resources: {limits: {memory: 512Mi}}}]}}}");

    Binary binary = Binary.of(root, "controller");

    assertThat(binary.jar()).isEqualTo(jar);
    assertThat(binary.jvmFlags())
        .containsExactly(
            "-XX:+UseSerialGC", "-XX:MaxRAMPercentage=60", "-XX:NewRatio=4", "-XX:MaxRAM=512m");
  }

  @Test
  void theRepositoryTellsTheFlagsOfBothImages() throws IOException {
    Path root = Path.of("../..");

    for (String name : new String[] {"controller", "kubeletplugin"}) {
      assertThat(ImageFlags.of(root.resolve("pom.xml"), Binary.pom(root, name)))
          .contains("-XX:+UseSerialGC")
          .noneMatch(flag -> flag.contains("$"));
      assertThat(MemoryLimit.of(root.resolve("manifests/base/" + name + ".yaml")).mebibytes())
          .isPositive();
    }
  }
}
