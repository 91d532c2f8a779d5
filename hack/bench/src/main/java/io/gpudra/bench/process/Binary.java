package io.gpudra.bench.process;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A binary as its pod runs it, but for the container around it.
 *
 * @param jvmFlags of its image, with the memory of its pod in place of the container's
 */
public record Binary(String name, Path jar, ImmutableList<String> jvmFlags) {

  /**
   * From a built repository.
   *
   * @param name that the module, its image and its manifest have in common
   */
  public static Binary of(Path root, String name) throws IOException {
    return new Binary(name, jar(root.resolve(name).resolve("target"), name), flags(root, name));
  }

  private static ImmutableList<String> flags(Path root, String name) throws IOException {
    return ImmutableList.<String>builder()
        .addAll(ImageFlags.of(root.resolve("pom.xml"), pom(root, name)))
        .add(MemoryLimit.of(root.resolve("manifests/base/" + name + ".yaml")).jvmFlag())
        .build();
  }

  /** Of the module that makes the image. */
  static Path pom(Path root, String name) {
    Path manager = root.resolve(name).resolve("manager/pom.xml");
    return Files.exists(manager) ? manager : root.resolve(name).resolve("pom.xml");
  }

  private static Path jar(Path directory, String name) throws IOException {
    try (DirectoryStream<Path> jars =
        Files.newDirectoryStream(directory, "gpudra-" + name + "-*.jar")) {
      return ImmutableList.copyOf(jars).get(0);
    }
  }

  /** What starts it. */
  public ImmutableList<String> command(List<String> arguments) {
    return ImmutableList.<String>builder()
        .add(java())
        .addAll(jvmFlags)
        .add("-jar", jar.toString())
        .addAll(arguments)
        .build();
  }

  /** Starts it. */
  Subprocess start(Path log, List<String> arguments) throws IOException {
    return Subprocess.start(command(arguments), log);
  }

  /** The Java that this process runs on. */
  static String java() {
    return Path.of(System.getProperty("java.home", ""), "bin", "java").toString();
  }
}
