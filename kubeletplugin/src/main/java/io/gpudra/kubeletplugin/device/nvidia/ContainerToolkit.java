package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.kubeletplugin.cdi.ContainerEdits.Hook;
import io.gpudra.kubeletplugin.device.os.DriverProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * NVIDIA's container toolkit on the node: a program with the hooks that complete a container. The
 * node runs it, wherever the driver is.
 *
 * @param program its path on the node
 * @param prefix the arguments before the name of a hook
 * @param hooks the hooks that it knows
 */
record ContainerToolkit(Path program, ImmutableList<String> prefix, ImmutableSet<String> hooks) {

  private static final Logger log = LoggerFactory.getLogger(ContainerToolkit.class);

  static final String CREATE_SYMLINKS = "create-symlinks";
  static final String UPDATE_LDCACHE = "update-ldcache";

  /** Lets a container prefer its image's newer CUDA to the driver's; since 1.17.5. */
  static final String ENABLE_CUDA_COMPAT = "enable-cuda-compat";

  /**
   * A privileged container creates no device nodes of GPUs that it did not get (since 1.17.8), and
   * its graphics programs search for none.
   */
  static final ImmutableList<String> LAST =
      ImmutableList.of("disable-device-node-modification", "update-application-profile");

  /** The directories of packages, local builds, the GPU Operator, and NixOS. */
  private static final ImmutableList<String> DIRECTORIES =
      ImmutableList.of(
          "/usr/bin", "/usr/local/bin", "/usr/local/nvidia/toolkit", "/run/current-system/sw/bin");

  /** Since 1.16 the hooks have a program of their own. */
  private static final ImmutableList<ImmutableList<String>> COMMANDS =
      ImmutableList.of(ImmutableList.of("nvidia-cdi-hook"), ImmutableList.of("nvidia-ctk", "hook"));

  /** A line of a program's help, such as {@code update-ldcache Update ldcache in …}. */
  private static final Pattern COMMAND =
      Pattern.compile("(?m)^\\s+([a-z][a-z0-9]*(?:-[a-z0-9]+)+)(?=[\\s,]|$)");

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /** Prints the hooks that a program of the node knows. */
  interface Help {
    String of(Path program, ImmutableList<String> arguments) throws IOException;
  }

  /** The first usable one, if any. */
  static Optional<ContainerToolkit> find(RootFiles node) throws IOException {
    return find(node, (program, arguments) -> ask(node, program, arguments, TIMEOUT));
  }

  static Optional<ContainerToolkit> find(RootFiles node, Help help) throws IOException {
    for (ImmutableList<String> command : COMMANDS) {
      for (String directory : DIRECTORIES) {
        Path program = Path.of(directory, command.get(0));
        if (node.resolve(program).filter(Files::isExecutable).isPresent()) {
          Optional<ContainerToolkit> usable =
              usable(program, command.subList(1, command.size()), help);
          if (usable.isPresent()) {
            return usable;
          }
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<ContainerToolkit> usable(
      Path program, ImmutableList<String> prefix, Help help) {
    try {
      return Optional.of(probe(program, prefix, help));
    } catch (IOException e) {
      log.warn(
          "not using hooks of the container toolkit program={} reason=\"{}\" remedy=\"install"
              + " NVIDIA Container Toolkit 1.12 or later on the node, or remove the file\"",
          program,
          e.getMessage());
      return Optional.empty();
    }
  }

  private static ContainerToolkit probe(Path program, ImmutableList<String> prefix, Help help)
      throws IOException {
    String words =
        help.of(program, ImmutableList.<String>builder().addAll(prefix).add("--help").build());
    ImmutableSet<String> hooks =
        COMMAND.matcher(words).results().map(line -> line.group(1)).collect(toImmutableSet());
    for (String needed : ImmutableList.of(CREATE_SYMLINKS, UPDATE_LDCACHE)) {
      if (!hooks.contains(needed)) {
        throw new IOException("it has no hook %s".formatted(needed));
      }
    }
    return new ContainerToolkit(program, prefix, hooks);
  }

  /** The output of the program, run with the node's root, within this time. */
  static String ask(
      RootFiles node, Path program, ImmutableList<String> arguments, Duration patience)
      throws IOException {
    DriverProgram.Result result =
        new DriverProgram(
                DriverProgram.inRoot(node.path(), program, arguments.toArray(String[]::new)),
                ImmutableMap.of())
            .run("", patience);
    if (result.status() != 0) {
      throw new IOException("status %d, \"%s\"".formatted(result.status(), result.words()));
    }
    return result.words();
  }

  boolean knows(String hook) {
    return hooks.contains(hook);
  }

  /** One of the toolkit's hooks. */
  Hook hook(String name, Iterable<String> arguments) {
    return new Hook(
        program.toString(),
        ImmutableList.<String>builder().addAll(prefix).add(name).addAll(arguments).build());
  }
}
