package io.gpudra.stubdriver;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.MigProfile;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What {@code machine.conf} tells the library of its GPUs.
 *
 * @param driver version
 */
record MachineFile(String driver, ImmutableList<Gpu> gpus, ImmutableList<GpuLink> links) {

  private static final long MIB = 1L << 20;

  private static final ImmutableMap<String, Integer> BRANDS =
      ImmutableMap.of("Quadro", 1, "Tesla", 2, "GeForce", 5, "Nvidia", 14);

  private static final ImmutableMap<String, Integer> ARCHITECTURES =
      ImmutableMap.of(
          "Volta", 5, "Turing", 6, "Ampere", 7, "Ada Lovelace", 8, "Hopper", 9, "Blackwell", 10);

  /** Kinds of GPU instances: the number that asks for it, and its id (nvidia.md 1.4, 2.1). */
  private static final ImmutableMap<String, String> KINDS =
      new ImmutableMap.Builder<String, String>()
          .put("1g", "0 19")
          .put("2g", "1 14")
          .put("3g", "2 9")
          .put("4g", "3 5")
          .put("7g", "4 0")
          .put("1g+me", "7 20")
          .put("1g doubled", "9 15")
          .buildOrThrow();

  /** Those of a GPU of four slices, such as an A30. */
  private static final ImmutableMap<String, String> KINDS_OF_FOUR =
      ImmutableMap.of("1g", "0 14", "2g", "1 5", "4g", "3 0", "1g+me", "7 21", "2g+me", "8 6");

  private static final int FOUR = 4;

  String text() {
    return Stream.of(
            Stream.of("driver " + driver, "cuda 12040"),
            gpus.stream().flatMap(MachineFile::gpu),
            links.stream().flatMap(this::link))
        .flatMap(lines -> lines)
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static Stream<String> gpu(Gpu gpu) {
    String line =
        "gpu %s %d %s %d %d %d %s %d %d %d %s"
            .formatted(
                gpu.uuid(),
                gpu.minor(),
                busId(gpu),
                gpu.memoryBytes() / MIB,
                BRANDS.getOrDefault(gpu.model().brand(), 0),
                ARCHITECTURES.getOrDefault(gpu.model().architecture(), 0),
                computeCapability(gpu),
                gpu.model().capabilities().contains("ecc") ? 1 : -1,
                mig(gpu.mig().mode()),
                gpu.mig().switchable() ? 0 : 1,
                gpu.model().productName());
    boolean ofFour =
        gpu.model().migProfiles().stream().mapToInt(MigProfile::compute).max().orElse(0) == FOUR;
    return Stream.concat(
        Stream.of(line),
        gpu.model().migProfiles().stream().map(profile -> profile(profile, ofFour)));
  }

  /** Every GPU of a driver has one. */
  private static String computeCapability(Gpu gpu) {
    String known = gpu.model().cudaComputeCapability();
    return known.isEmpty() ? "0.0" : known;
  }

  /** Every GPU of a driver has one. */
  static String busId(Gpu gpu) {
    return gpu.pcieBusId().isEmpty()
        ? "0000:%02x:00.0".formatted(gpu.index() + 1)
        : gpu.pcieBusId();
  }

  private static int mig(MigMode mode) {
    return switch (mode) {
      case UNSUPPORTED -> -1;
      case DISABLED -> 0;
      case ENABLED -> 1;
    };
  }

  /** NVML tells wrong numbers of instances for an A30 (nvidia.md 2.1). */
  private static String profile(MigProfile profile, boolean ofFour) {
    return "profile %s %d %d %d %d %d %s %s"
        .formatted(
            kind(profile, ofFour ? KINDS_OF_FOUR : KINDS),
            profile.compute(),
            profile.size(),
            profile.most(),
            ofFour ? 1 : profile.most(),
            profile.memoryBytes() / MIB,
            profile.starts().stream().map(String::valueOf).collect(Collectors.joining(",")),
            profile.name());
  }

  private static String kind(MigProfile profile, ImmutableMap<String, String> kinds) {
    boolean doubled = profile.compute() == 1 && profile.size() == 2;
    boolean media = profile.name().endsWith("+me");
    String key = profile.compute() + "g" + (doubled ? " doubled" : media ? "+me" : "");
    return Optional.ofNullable(kinds.get(key)).orElseThrow();
  }

  /** One line for each end that is a GPU; the other end of -1 is a switch. */
  private Stream<String> link(GpuLink link) {
    ImmutableList<Integer> ends =
        link.gpuUuids().stream().map(this::index).collect(ImmutableList.toImmutableList());
    if (link.type() == GpuLink.Type.NVSWITCH) {
      return ends.stream().map(end -> "link %d -1 %d".formatted(end, link.lanes()));
    }
    return ends.stream()
        .flatMap(
            one ->
                ends.stream()
                    .filter(other -> !other.equals(one))
                    .map(other -> "link %d %d %d".formatted(one, other, link.lanes())));
  }

  private int index(String uuid) {
    return gpus.stream().filter(gpu -> gpu.uuid().equals(uuid)).findFirst().orElseThrow().index();
  }
}
