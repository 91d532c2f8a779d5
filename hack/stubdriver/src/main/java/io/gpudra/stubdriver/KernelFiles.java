package io.gpudra.stubdriver;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.node.DeviceAttribute;
import io.gpudra.crds.model.node.Gpu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** {@code dev}, {@code proc} and {@code sys} as a kernel has them that loaded the driver. */
public record KernelFiles(Path root) {

  private static final int INSTANCES = 15;
  private static final int COMPUTE_INSTANCES = 8;

  /** Makes those of these GPUs. */
  public void make(ImmutableList<Gpu> gpus) throws IOException {
    Path dev = Files.createDirectories(root.resolve("dev"));
    node(dev.resolve("nvidiactl"), 3, "null");
    node(dev.resolve("nvidia-uvm"), 7, "full");
    for (Gpu gpu : gpus) {
      node(dev.resolve("nvidia" + gpu.minor()), 5, "zero");
      place(gpu);
    }
    Path proc = root.resolve("proc");
    Path minors = Files.createDirectories(proc.resolve("driver/nvidia-caps"));
    Files.write(
        minors.resolve("mig-minors"),
        gpus.stream().map(Gpu::minor).flatMap(KernelFiles::capabilities).toList());
    Files.writeString(
        proc.resolve("devices"),
        "Character devices:\n  1 mem\n195 nvidia\n236 nvidia-caps\n\nBlock devices:\n  8 sd\n");
  }

  /** A device that is everywhere, or a link to it where nodes may not be made. */
  private static void node(Path file, int minor, String like) throws IOException {
    Process mknod =
        new ProcessBuilder("mknod", file.toString(), "c", "1", String.valueOf(minor))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (mknod.waitFor() != 0) {
        Files.createSymbolicLink(file, Path.of("/dev", like));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /** As the driver numbers them today. */
  private static Stream<String> capabilities(int gpu) {
    return IntStream.range(0, INSTANCES)
        .boxed()
        .flatMap(
            instance -> {
              int minor = 3 + 135 * gpu + 9 * instance;
              return Stream.concat(
                  Stream.of("gpu%d/gi%d/access %d".formatted(gpu, instance, minor)),
                  IntStream.range(0, COMPUTE_INSTANCES)
                      .mapToObj(
                          compute ->
                              "gpu%d/gi%d/ci%d/access %d"
                                  .formatted(gpu, instance, compute, minor + 1 + compute)));
            });
  }

  private void place(Gpu gpu) throws IOException {
    String busId = MachineFile.busId(gpu);
    Path below = Path.of("devices", gpu.pcieRoot(), busId);
    Path device = Files.createDirectories(root.resolve("sys").resolve(below));
    Files.writeString(device.resolve("numa_node"), gpu.numaNode() + "\n");
    Files.writeString(device.resolve("vendor"), "0x10de\n");
    ImmutableMap<String, String> values = gpu.attributes().texts();
    for (Map.Entry<String, String> file : DeviceAttribute.pciFiles().entrySet()) {
      String value = values.getOrDefault(file.getKey(), "");
      Files.writeString(device.resolve(file.getValue()), "0x" + value + "\n");
    }
    Files.writeString(device.resolve("class"), "0x030200\n");
    Path known = Files.createDirectories(root.resolve("sys/bus/pci/devices"));
    Files.createSymbolicLink(known.resolve(busId), Path.of("../../..").resolve(below));
  }
}
