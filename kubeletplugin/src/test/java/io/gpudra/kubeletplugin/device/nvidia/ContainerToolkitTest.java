package io.gpudra.kubeletplugin.device.nvidia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Hook;
import io.gpudra.kubeletplugin.device.os.DriverProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContainerToolkitTest {

  /** As version 1.20 prints it. */
  private static final String TODAY =
      """
      NAME:
         NVIDIA CDI Hook - Command to structure files for usage inside a container

      COMMANDS:
         update-ldcache                    Update ldcache in a container by running ldconfig
         create-symlinks                   A hook to create symlinks in the container.
         enable-cuda-compat                This hook ensures that the folder is added
         disable-device-node-modification  Ensure that /proc/driver/nvidia/params does not allow it
         help, h                           Shows a list of commands or help for one command

      GLOBAL OPTIONS:
         --debug, -d    Enable debug-level logging
      """;

  /** As version 1.13 prints it. */
  private static final String BEFORE_1_16 =
      """
      NAME:
         nvidia-ctk hook - A collection of hooks that may be injected into an OCI spec

      COMMANDS:
         chmod            Set the permissions of folders in the container by running chmod.
         create-symlinks  A hook to create symlinks in the container. This can be used to process
         update-ldcache   Update ldcache in a container by running ldconfig
         help, h          Shows a list of commands or help for one command
      """;

  @TempDir Path root = Path.of("");

  private void install(String program) throws IOException {
    Path file = root.resolve(program);
    Files.createDirectories(file.resolveSibling(""));
    assertThat(Files.createFile(file).toFile().setExecutable(true)).isTrue();
  }

  private Optional<ContainerToolkit> found(Map<String, String> words) throws IOException {
    return ContainerToolkit.find(
        new RootFiles(root),
        (program, arguments) -> {
          String line = program + " " + String.join(" ", arguments);
          return Optional.ofNullable(words.get(line))
              .orElseThrow(() -> new IOException(line + " does not end"));
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/usr/bin",
        "/usr/local/bin",
        "/usr/local/nvidia/toolkit",
        "/run/current-system/sw/bin"
      })
  void theHooksAreThoseThatItSaysItHas(String directory) throws IOException {
    assertThat(found(Map.of())).isEmpty();

    install(directory.substring(1) + "/nvidia-cdi-hook");
    ContainerToolkit toolkit =
        found(Map.of(directory + "/nvidia-cdi-hook --help", TODAY)).orElseThrow();
    assertThat(toolkit.hooks())
        .isEqualTo(
            ImmutableSet.of(
                "update-ldcache",
                "create-symlinks",
                "enable-cuda-compat",
                "disable-device-node-modification"));
    assertThat(toolkit.hook("update-ldcache", ImmutableList.of("--folder", "/lib")))
        .isEqualTo(
            new Hook(
                directory + "/nvidia-cdi-hook",
                ImmutableList.of("update-ldcache", "--folder", "/lib")));
  }

  @Test
  void toolkitsBefore116HaveTheHooksInAnotherProgram() throws IOException {
    install("usr/bin/nvidia-ctk");

    ContainerToolkit toolkit =
        found(Map.of("/usr/bin/nvidia-ctk hook --help", BEFORE_1_16)).orElseThrow();
    assertThat(toolkit.knows("enable-cuda-compat")).isFalse();
    assertThat(toolkit.hook("update-ldcache", ImmutableList.of()))
        .isEqualTo(new Hook("/usr/bin/nvidia-ctk", ImmutableList.of("hook", "update-ldcache")));
  }

  @Test
  void theNewerProgramComesFirstWhereverItIs() throws IOException {
    install("usr/bin/nvidia-ctk");
    install("usr/local/nvidia/toolkit/nvidia-cdi-hook");

    assertThat(
            found(
                Map.of(
                    "/usr/bin/nvidia-ctk hook --help", BEFORE_1_16,
                    "/usr/local/nvidia/toolkit/nvidia-cdi-hook --help", TODAY)))
        .map(ContainerToolkit::program)
        .contains(Path.of("/usr/local/nvidia/toolkit/nvidia-cdi-hook"));
  }

  @Test
  void aProgramThatDoesNotAnswerOrLacksAHookIsPassedBy() throws IOException {
    install("usr/bin/nvidia-cdi-hook");
    install("usr/local/bin/nvidia-cdi-hook");
    String lacking = TODAY.replace("update-ldcache", "");
    assertThat(found(Map.of("/usr/local/bin/nvidia-cdi-hook --help", lacking))).isEmpty();

    install("usr/bin/nvidia-ctk");
    assertThat(found(Map.of("/usr/bin/nvidia-ctk hook --help", BEFORE_1_16))).isPresent();
  }

  @Test
  void whatCannotBeRunIsNoToolkit() throws IOException {
    Files.createDirectories(root.resolve("usr/bin"));
    Files.createFile(root.resolve("usr/bin/nvidia-cdi-hook"));

    assertThat(found(Map.of("/usr/bin/nvidia-cdi-hook --help", TODAY))).isEmpty();
  }

  /** Says that it has what every toolkit has. */
  static final String HOOKS = "puts(\"COMMANDS:\\n create-symlinks\\n update-ldcache\");";

  /** Makes a program that runs in a root without anything else, where this machine can. */
  static void compile(Path program, String statement) throws IOException {
    Path source = Files.createTempFile("toolkit", ".c");
    try {
      Files.createDirectories(program.resolveSibling(""));
      Files.writeString(
          source, "#include <stdio.h>\nint main(void) { %s return 0; }\n".formatted(statement));
      DriverProgram.Result result =
          new DriverProgram(
                  ImmutableList.of("cc", "-static", "-o", program.toString(), source.toString()),
                  ImmutableMap.of())
              .run("", Duration.ofMinutes(1));
      Assumptions.assumeTrue(result.status() == 0, "no static C library");
    } catch (IOException e) {
      Assumptions.abort("no C compiler");
    } finally {
      Files.delete(source);
    }
    Assumptions.assumeTrue(
        System.getProperty("user.name").equals("root"), "only root may change a process's root");
  }

  @Test
  void aProgramOfTheNodeIsRunInItsRoot() throws IOException {
    compile(root.resolve("usr/bin/nvidia-cdi-hook"), HOOKS);

    assertThat(ContainerToolkit.find(new RootFiles(root)).orElseThrow().hooks())
        .containsExactly("create-symlinks", "update-ldcache");
  }

  /** Without end, or without a word. */
  @ParameterizedTest
  @ValueSource(strings = {"for (;;) puts(\"update-ldcache\");", "getchar(); for (;;) ;"})
  void aProgramThatDoesNotEndIsEnded(String statement) throws IOException {
    Path program = Path.of("/usr/bin/nvidia-cdi-hook");
    compile(root.resolve("usr/bin/nvidia-cdi-hook"), statement);

    assertThatThrownBy(
            () ->
                ContainerToolkit.ask(
                    new RootFiles(root), program, ImmutableList.of(), Duration.ofMillis(100)))
        .hasMessageEndingWith("does not end");
  }

  @Test
  void aProgramThatFailsSaysWhy() throws IOException {
    compile(root.resolve("usr/bin/nvidia-cdi-hook"), "puts(\"no such option\"); return 3;");

    assertThat(ContainerToolkit.find(new RootFiles(root))).isEmpty();
    assertThatThrownBy(
            () ->
                ContainerToolkit.ask(
                    new RootFiles(root),
                    Path.of("/usr/bin/nvidia-cdi-hook"),
                    ImmutableList.of(),
                    Duration.ofMinutes(1)))
        .hasMessage("status 3, \"no such option\"");
  }
}
