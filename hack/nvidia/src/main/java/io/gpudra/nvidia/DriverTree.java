package io.gpudra.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.stubdriver.KernelFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The files of a driver below a root: its library, and {@code dev}, {@code proc} and {@code sys} of
 * a kernel that has loaded it.
 */
record DriverTree(Path root, Path library) {

  private static final String LIBRARIES = "usr/lib64";
  private static final String PREFIX = "libnvidia-ml.so.";

  /** A process loads a library only once, even from different roots. */
  private static final Map<Path, Path> COPIES = new ConcurrentHashMap<>();

  static String version(Path library) {
    return library.getFileName().toString().substring(PREFIX.length());
  }

  /** Answers the library. */
  Path make(Collection<EmulatedGpu> gpus) throws IOException {
    new KernelFiles(root).make(gpus.stream().map(EmulatedGpu::placed).collect(toImmutableList()));
    Path proc = Files.createDirectories(root.resolve("proc/driver/nvidia"));
    Files.write(
        proc.resolve("params"),
        ImmutableList.of(
            "ModifyDeviceFiles: 1", "DeviceFileUID: 0", "DeviceFileGID: 0", "DeviceFileMode: 438"));
    for (EmulatedGpu gpu : gpus) {
      Files.createDirectories(proc.resolve("capabilities/gpu%d/mig".formatted(gpu.minor())));
    }
    return addLibraries(Files.createDirectories(root.resolve(LIBRARIES)));
  }

  private Path addLibraries(Path directory) throws IOException {
    String version = version(library);
    Files.createLink(
        directory.resolve(PREFIX + version), COPIES.computeIfAbsent(library, DriverTree::copy));
    Files.createFile(directory.resolve("libcuda.so." + version));
    for (String name : ImmutableList.of("libnvidia-ml", "libcuda")) {
      Files.createSymbolicLink(directory.resolve(name + ".so.1"), Path.of(name + ".so." + version));
    }
    return directory.resolve(PREFIX + "1");
  }

  private static Path copy(Path library) {
    try {
      Path copy = Files.createTempFile("nvidia", ".so");
      Files.copy(library, copy, StandardCopyOption.REPLACE_EXISTING);
      copy.toFile().deleteOnExit();
      return copy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
