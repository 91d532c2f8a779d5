package io.gpudra.bench.sample;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.inventory.InventoryCodec;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.model.node.PreparedClaim;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A node with a plugin that serves.
 *
 * @param slices MIG devices of each GPU; 0 for GPUs that are granted whole
 * @param heartbeatSeconds between two heartbeats of the plugin
 */
public record SampleNode(String name, int gpus, int slices, int heartbeatSeconds) {

  /** One whose GPUs are granted whole. */
  public SampleNode(String name, int gpus, int heartbeatSeconds) {
    this(name, gpus, /* slices= */ 0, heartbeatSeconds);
  }

  /** The name of the driver whose plugin it has. */
  public static final String DRIVER = "gpu.resource.example.com";

  private static final int PARTS_FORMAT = 2;
  private static final long MEMORY_BYTES = 80L << 30;
  private static final GpuModel MODEL =
      new GpuModel(
          "NVIDIA A100-SXM4-80GB",
          "Nvidia",
          "Ampere",
          "8.0",
          MEMORY_BYTES,
          ImmutableSortedSet.of("tensorCores"));
  private static final MigProfile SLICE =
      new MigProfile(
          "1g.10gb", MEMORY_BYTES / 8, 1, 1, ImmutableSortedSet.of(0, 1, 2, 3, 4, 5, 6), 7);
  private static final MigProfile ALL =
      new MigProfile("7g.80gb", MEMORY_BYTES, 7, 8, ImmutableSortedSet.of(0), 1);
  private static final GpuModel CUT =
      new GpuModel(
          MODEL.productName(),
          MODEL.brand(),
          MODEL.architecture(),
          MODEL.cudaComputeCapability(),
          MEMORY_BYTES,
          MODEL.capabilities(),
          ImmutableList.of(SLICE, ALL));

  /** What it has, when nothing is prepared. */
  public Inventory inventory() {
    return inventory(ImmutableList.of());
  }

  /** What it has. */
  public Inventory inventory(ImmutableList<PreparedClaim> prepared) {
    return new Inventory(
        NodeState.ready(name),
        "535.104.05",
        "12.2",
        IntStream.range(0, gpus)
            .mapToObj(i -> gpu(i, prepared))
            .collect(ImmutableList.toImmutableList()),
        ImmutableList.of(),
        prepared,
        PARTS_FORMAT,
        new Inventory.Service.Serving());
  }

  /** What its plugin publishes now. */
  public NodeInventoryStatus status(ImmutableList<PreparedClaim> prepared) {
    Instant now = Instant.now();
    return InventoryCodec.write(
        inventory(prepared),
        new InventoryCodec.Publisher(DRIVER, "bench", "boot-of-" + name, heartbeatSeconds),
        now,
        ImmutableList.of(
            InventoryCodec.condition(InventoryCodec.READY, true, InventoryCodec.SERVING, "", now)));
  }

  /** All that can be granted, as grants name it. */
  public ImmutableList<GrantedDevice> devices() {
    return IntStream.range(0, gpus)
        .boxed()
        .flatMap(this::devices)
        .collect(ImmutableList.toImmutableList());
  }

  private Stream<GrantedDevice> devices(int gpu) {
    return slices == 0
        ? Stream.of(device(gpu))
        : IntStream.range(0, slices).mapToObj(start -> slice(gpu, start));
  }

  /** One of its GPUs, as a grant names it. */
  public GrantedDevice device(int index) {
    return new GrantedDevice("gpu-" + index, uuid(index));
  }

  private GrantedDevice slice(int gpu, int start) {
    Part.Slice slice =
        new Part.Slice(SLICE.name(), start, SLICE.size(), SLICE.compute(), Optional.empty());
    GrantedPart part =
        new GrantedPart(
            uuid(gpu), slice, SharingStrategy.NONE, 100, false, Optional.empty(), Optional.empty());
    return new GrantedDevice(slice.nameOn("gpu-" + gpu), part, /* parent= */ false);
  }

  private String uuid(int index) {
    return "GPU-" + UUID.nameUUIDFromBytes((name + "/" + index).getBytes(UTF_8));
  }

  private Gpu gpu(int index, ImmutableList<PreparedClaim> prepared) {
    return new Gpu.Builder(uuid(index), index, slices == 0 ? MODEL : CUT, MEMORY_BYTES)
        .pcieBusId("0000:%02x:00.0".formatted(index + 1))
        .pcieRoot("pci0000:00")
        .numaNode(0)
        .mig(slices == 0 ? MigState.of(Gpu.MigMode.DISABLED) : mig(uuid(index), prepared))
        .build();
  }

  private static MigState mig(String gpu, ImmutableList<PreparedClaim> prepared) {
    return new MigState(
        Gpu.MigMode.ENABLED,
        /* switchable= */ true,
        prepared.stream()
            .flatMap(claim -> claim.parts().stream().flatMap(part -> found(gpu, claim, part)))
            .collect(ImmutableList.toImmutableList()));
  }

  private static Stream<MigState.Device> found(String gpu, PreparedClaim claim, GrantedPart part) {
    return part.gpuUuid().equals(gpu) && part.part() instanceof Part.Slice slice
        ? Stream.of(
            new MigState.Device(
                "MIG-" + claim.uid(), slice, Optional.of(claim.uid()), /* foreign= */ false))
        : Stream.empty();
  }
}
