package io.gpudra.controller.gpu;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.gpudra.controller.gpu.cel.DeviceSamples.A100_MIG;
import static io.gpudra.controller.gpu.cel.DeviceSamples.HALF;
import static io.gpudra.controller.gpu.cel.DeviceSamples.SMALL;
import static io.gpudra.controller.gpu.cel.DeviceSamples.slice;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.AttributeValues;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import io.gpudra.crds.testing.Taints;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/** What a node has and who has it; nothing in it says which node it is. */
record RandomNode(
    String driverVersion,
    String cudaDriverVersion,
    int handleFormat,
    ImmutableList<OneGpu> gpus,
    int linked,
    int lanes,
    boolean serving,
    boolean readable) {
  private static final GpuModel LARGER =
      GpuModels.cut(
          GpuModels.capable(
              GpuModels.model(
                  A100_MIG.productName() + "-large",
                  A100_MIG.brand(),
                  A100_MIG.architecture(),
                  "8.6",
                  160),
              A100_MIG.capabilities().toArray(String[]::new)),
          A100_MIG.migProfiles());

  static RandomNode any(Random random) {
    int count = 1 + random.nextInt(4);
    return new RandomNode(
        random.nextBoolean() ? "535.86.05" : "535.104.05",
        random.nextBoolean() ? "12.1" : "12.2",
        random.nextInt(4) == 0 ? 1 : 2,
        IntStream.range(0, count).mapToObj(i -> OneGpu.any(random)).collect(toImmutableList()),
        random.nextInt(count + 1),
        1 + random.nextInt(2),
        random.nextInt(4) > 0,
        random.nextInt(4) > 0);
  }

  /** The same but for some of it. */
  RandomNode changed(Random random) {
    RandomNode other = any(random);
    int what = random.nextInt(16);
    List<OneGpu> all = new ArrayList<>(gpus);
    if (what > 6) {
      int i = random.nextInt(all.size());
      all.set(i, all.get(i).changed(random));
    }
    return new RandomNode(
        what == 0 ? other.driverVersion : driverVersion,
        what == 1 ? other.cudaDriverVersion : cudaDriverVersion,
        what == 2 ? other.handleFormat : handleFormat,
        ImmutableList.copyOf(all),
        what == 3 ? Math.min(other.linked, gpus.size()) : linked,
        what == 4 ? other.lanes : lanes,
        what == 5 ? other.serving : serving,
        what == 6 ? other.readable : readable);
  }

  Inventory inventory(String node) {
    NodeFixture made =
        NodeFixture.node(node)
            .driver(driverVersion, cudaDriverVersion)
            .gpus(
                IntStream.range(0, gpus.size())
                    .mapToObj(i -> gpus.get(i).gpu(node, i))
                    .collect(toImmutableList()))
            .format(handleFormat)
            .service(
                serving
                    ? new Inventory.Service.Serving()
                    : new Inventory.Service.NotReady("Starting"));
    return (linked < 2 ? made : made.linked(lanes, IntStream.range(0, linked).toArray()))
        .inventory();
  }

  void on(String node, Ledgers ledgers) {
    ledgers.observe(inventory(node));
    if (!readable) {
      ClaimRef ref = new ClaimRef("team-b", "odd-" + node);
      NodeLedger.Unreadable handle = new NodeLedger.Unreadable(ref, "version 9");
      ledgers.observeUnreadable(new ClaimUid("uid-of-" + ref), node, handle);
    }
    for (int i = 0; i < gpus.size(); i++) {
      for (GrantedPart part : gpus.get(i).taken(uuid(node, i))) {
        hold(ledgers, node, i, part);
      }
    }
  }

  private static void hold(Ledgers ledgers, String node, int gpu, GrantedPart part) {
    ClaimRef ref = new ClaimRef("team-b", "holder-of-" + part.part() + gpu + node);
    ClaimUid uid = new ClaimUid("uid-of-" + ref);
    Grant grant = GrantFixture.grant(uid, node, GrantFixture.device("gpu-" + gpu, part));
    ledgers.observe(ref, uid, Optional.of(grant));
  }

  private static String uuid(String node, int gpu) {
    return "GPU-" + node + "-" + gpu;
  }

  /** One GPU of a world. */
  private record OneGpu(
      String name,
      GpuModel model,
      long memoryBytes,
      String root,
      int numa,
      AttributeValues attributes,
      MigState mig,
      ImmutableList<DeviceTaint> taints,
      SharingStrategy sharing,
      ImmutableList<Part> parts) {
    private static final SharingStrategy SLOW =
        new SharingStrategy.TimeSlicing(SharingStrategy.Interval.LONG);

    static OneGpu any(Random random) {
      return new OneGpu(
          random.nextInt(3) == 0 ? "odd" : "",
          random.nextInt(3) == 0 ? LARGER : A100_MIG,
          (random.nextBoolean() ? 100L : 80L) << 30,
          "pci0000:0" + random.nextInt(2),
          random.nextInt(2),
          AttributeValues.parse(
              ImmutableMap.of("pcieDeviceID", random.nextBoolean() ? "20b2" : "20b5")),
          mig(random),
          random.nextInt(4) == 0 ? ImmutableList.of(taint()) : ImmutableList.of(),
          random.nextBoolean() ? SLOW : SharingStrategy.NONE,
          parts(random));
    }

    OneGpu changed(Random random) {
      OneGpu other = any(random);
      int what = random.nextInt(12);
      return new OneGpu(
          what == 0 ? other.name : name,
          what == 1 ? other.model : model,
          what == 2 ? other.memoryBytes : memoryBytes,
          what == 3 ? other.root : root,
          what == 4 ? other.numa : numa,
          what == 9 ? other.attributes : attributes,
          what == 5 || what > 9 ? other.mig : mig,
          what == 6 ? other.taints : taints,
          what == 7 ? other.sharing : sharing,
          what == 8 ? other.parts : parts);
    }

    private static DeviceTaint taint() {
      return Taints.noSchedule("example.com/broken");
    }

    private static MigState mig(Random random) {
      boolean switchable = random.nextInt(3) > 0;
      return switch (random.nextInt(6)) {
        case 0 -> MigState.of(MigMode.DISABLED);
        case 1, 2, 3 -> new MigState(MigMode.ENABLED, switchable, ImmutableList.of(found(random)));
        case 4 -> new MigState(MigMode.ENABLED, switchable, ImmutableList.of());
        default -> new MigState(MigMode.DISABLED, switchable, ImmutableList.of());
      };
    }

    private static MigState.Device found(Random random) {
      return new MigState.Device(
          "MIG-" + random.nextInt(),
          slice(HALF, random.nextInt(4) == 0 ? 4 : 0),
          random.nextInt(3) == 0 ? Optional.of(new ClaimUid("somebody")) : Optional.empty(),
          random.nextBoolean());
    }

    private static ImmutableList<Part> parts(Random random) {
      return switch (random.nextInt(8)) {
        case 0 -> ImmutableList.of(new Part.Whole());
        case 1 -> ImmutableList.of(slice(SMALL, random.nextInt(7)));
        case 2 -> ImmutableList.of(slice(HALF, 0), slice(SMALL, 4 + random.nextInt(3)));
        case 3, 4 -> ImmutableList.of(new Part.Share((20L + 20L * random.nextInt(2)) << 30, 0));
        default -> ImmutableList.of();
      };
    }

    /** What every node has another one of is made of the node. */
    Gpu gpu(String node, int index) {
      return new Gpu.Builder(uuid(node, index), index, model, memoryBytes)
          .name("gpu-" + index + name)
          .minor(index + node.hashCode() % 3)
          .pcieBusId("0000:0" + index + ":0" + node.hashCode() % 2)
          .pcieRoot(root)
          .numaNode(numa)
          .attributes(attributes)
          .mig(mig)
          .taints(taints)
          .build();
    }

    List<GrantedPart> taken(String uuid) {
      return parts.stream()
          .map(
              part ->
                  GrantFixture.part(
                      uuid, part, part instanceof Part.Share ? sharing : SharingStrategy.NONE))
          .toList();
    }
  }
}
