package io.gpudra.nvidia;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuModel;
import java.util.stream.IntStream;

/**
 * A GPU that the kernel is to have.
 *
 * @param model a key of models.c
 * @param minor of its device node; also its place among the GPUs
 */
public record EmulatedGpu(String model, int minor) {

  /** Of models.c. */
  public static final String A100 = "A100-SXM4-40GB";

  /** Of models.c. */
  public static final String H100 = "H100-80GB";

  private static final int FIRST_BUS = 7;
  private static final int BETWEEN_BUSES = 0x40;

  /** As many of a model. */
  public static ImmutableList<EmulatedGpu> several(String model, int count) {
    return IntStream.range(0, count)
        .mapToObj(minor -> new EmulatedGpu(model, minor))
        .collect(ImmutableList.toImmutableList());
  }

  public String uuid() {
    return "GPU-%08x-2222-3333-4444-5555555%05x".formatted(0x66666666 + minor, minor);
  }

  int bus() {
    return FIRST_BUS + BETWEEN_BUSES * minor;
  }

  /** As the kernel spells it. */
  public String busId() {
    return "0000:%02x:00.0".formatted(bus());
  }

  /** What files tell of it. */
  public Gpu placed() {
    GpuModel named = new GpuModel(model, "", "", "", 0, ImmutableSortedSet.of());
    return new Gpu.Builder(uuid(), minor, named, 0)
        .pcieBusId(busId())
        .pcieRoot("pci0000:%02x".formatted(bus() - 1))
        .numaNode(minor % 2)
        .build();
  }
}
