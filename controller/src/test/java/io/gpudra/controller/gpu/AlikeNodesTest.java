package io.gpudra.controller.gpu;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.gpudra.controller.gpu.cel.DeviceSamples.A100_MIG;
import static io.gpudra.controller.gpu.cel.DeviceSamples.HALF;
import static io.gpudra.controller.gpu.cel.DeviceSamples.SMALL;
import static io.gpudra.controller.gpu.cel.DeviceSamples.slice;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.ImmutableSortedSet;
import com.google.gson.Gson;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.Stamp;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.dra.Allocation;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.Parameters;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.Suitability;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.model.Audience;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Owner;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Sharing;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.Link;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.model.node.NodeState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Nodes that look alike or nearly so answer as each of them would answer alone. */
class AlikeNodesTest {
  private static final int NODES = 3;
  private static final ClassFacts CLASS = GpuSamples.resourceClass(Optional.empty());

  private static final GpuModel LARGER =
      new GpuModel(
          A100_MIG.productName() + "-large",
          A100_MIG.brand(),
          A100_MIG.architecture(),
          "8.6",
          2 * A100_MIG.nominalMemoryBytes(),
          A100_MIG.capabilities(),
          A100_MIG.migProfiles());

  private static final ImmutableList<String> WISHES =
      ImmutableList.of(
          "{'count':2,'migProfile':'1g.10gb'}",
          "{'migProfile':'3g.40gb'}",
          "{'count':3,'migProfile':'1g.10gb','sameAttribute':['parentUUID']}",
          "{'mode':'shared','memoryLimit':'30Gi'}",
          "{'mode':'shared','memoryLimit':'30Gi','sharing':{'strategy':'TimeSlicing'}}",
          "{'count':2,'topology':'nvlink'}",
          "{'count':3,'topology':'nvlink'}",
          "{'count':2,'topology':'numa'}",
          "{'count':2,'sameAttribute':['pcieRoot']}",
          "{'count':2,'sameAttribute':['productName']}");

  private static final ImmutableList<String> CONDITIONS =
      ImmutableList.of(
          "device.name == 'gpu-0'",
          "!device.name.endsWith('odd')",
          "device.name.endsWith('odd')",
          "device.index == 1",
          "device.minor < 2",
          "device.productName.endsWith('large')",
          "device.cudaComputeCapability >= version('8.6')",
          "device.driverVersion >= version('535.104.05')",
          "device.cudaDriverVersion >= version('12.2')",
          "device.memory > 90 * 1024 * 1024 * 1024",
          "device.pcieRoot == 'pci0000:00'",
          "device.pcieBusID.endsWith('0')",
          "device.numaNode == 0",
          "device.migEnabled",
          "device.migCapable",
          "device.parentUUID.contains('n1')",
          "device.uuid.contains('n2')",
          "device.nvlinkPeers > 0",
          "device.node == 'n2'");

  private final GpuSamples.Objects objects = new GpuSamples.Objects();

  /** What a node has and who has it; nothing in it says which node it is. */
  private record World(
      String driverVersion,
      String cudaDriverVersion,
      int handleFormat,
      ImmutableList<OneGpu> gpus,
      int linked,
      int lanes,
      boolean serving,
      boolean readable) {

    static World any(Random random) {
      int count = 1 + random.nextInt(4);
      return new World(
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
    World changed(Random random) {
      World other = any(random);
      int what = random.nextInt(16);
      List<OneGpu> all = new ArrayList<>(gpus);
      if (what > 6) {
        int i = random.nextInt(all.size());
        all.set(i, all.get(i).changed(random));
      }
      return new World(
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
      ImmutableList<Gpu> all =
          IntStream.range(0, gpus.size())
              .mapToObj(i -> gpus.get(i).gpu(node, i))
              .collect(toImmutableList());
      ImmutableSet<String> peers =
          all.stream().limit(linked).map(Gpu::uuid).collect(ImmutableSet.toImmutableSet());
      return new Inventory(
          new NodeState(node, true, false, ImmutableSortedSet.of(), ImmutableMap.of()),
          driverVersion,
          cudaDriverVersion,
          all,
          linked < 2
              ? ImmutableList.of()
              : ImmutableList.of(new Link(peers, Link.Type.NVLINK, lanes)),
          ImmutableList.of(),
          handleFormat,
          serving ? new Inventory.Service.Serving() : new Inventory.Service.NotReady("Starting"));
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
      GrantedDevice device = new GrantedDevice("gpu-" + gpu, part, /* parent= */ false);
      Grant grant =
          new Grant(uid, node, 1, OptionalLong.empty(), Instant.EPOCH, ImmutableList.of(device));
      ledgers.observe(ref, uid, Optional.of(grant));
    }
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
      MigState mig,
      ImmutableList<DeviceTaint> taints,
      Sharing sharing,
      ImmutableList<Part> parts) {
    private static final Sharing SLOW = new Sharing.TimeSlicing(Sharing.Interval.LONG);

    static OneGpu any(Random random) {
      return new OneGpu(
          random.nextInt(3) == 0 ? "odd" : "",
          random.nextInt(3) == 0 ? LARGER : A100_MIG,
          (random.nextBoolean() ? 100L : 80L) << 30,
          "pci0000:0" + random.nextInt(2),
          random.nextInt(2),
          mig(random),
          random.nextInt(4) == 0 ? ImmutableList.of(taint()) : ImmutableList.of(),
          random.nextBoolean() ? SLOW : Sharing.NONE,
          parts(random));
    }

    OneGpu changed(Random random) {
      OneGpu other = any(random);
      int what = random.nextInt(11);
      return new OneGpu(
          what == 0 ? other.name : name,
          what == 1 ? other.model : model,
          what == 2 ? other.memoryBytes : memoryBytes,
          what == 3 ? other.root : root,
          what == 4 ? other.numa : numa,
          what == 5 || what > 8 ? other.mig : mig,
          what == 6 ? other.taints : taints,
          what == 7 ? other.sharing : sharing,
          what == 8 ? other.parts : parts);
    }

    private static DeviceTaint taint() {
      return new DeviceTaint(
          "example.com/broken",
          "",
          DeviceTaint.Effect.NO_SCHEDULE,
          "",
          Optional.empty(),
          Optional.empty());
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
      return new Gpu(
          "gpu-" + index + name,
          uuid(node, index),
          index,
          index + node.hashCode() % 3,
          model,
          memoryBytes,
          "0000:0" + index + ":0" + node.hashCode() % 2,
          root,
          numa,
          mig,
          taints);
    }

    List<GrantedPart> taken(String uuid) {
      return parts.stream()
          .map(
              part ->
                  new GrantedPart(
                      uuid,
                      part,
                      part instanceof Part.Share ? sharing : Sharing.NONE,
                      100,
                      false,
                      Optional.empty(),
                      Optional.empty()))
          .toList();
    }
  }

  private static ImmutableSortedMap<String, World> worlds(Random random) {
    World usual = World.any(random);
    ImmutableSortedMap.Builder<String, World> worlds = ImmutableSortedMap.naturalOrder();
    for (int i = 0; i < NODES; i++) {
      worlds.put("n" + i, i == 0 ? usual : usual.changed(random));
    }
    return worlds.build();
  }

  private GpuDriver driver(Ledgers ledgers) {
    return new GpuDriver(
        DeviceSamples.DRIVER,
        objects,
        ledgers,
        () -> new Stamp(1, Instant.EPOCH),
        new GpuSamples.Alerts());
  }

  private ImmutableList<ClaimFacts> pod(Random random) {
    int claims = 1 + random.nextInt(2);
    for (int i = 0; i < claims; i++) {
      String wish = WISHES.get(random.nextInt(WISHES.size()));
      String condition = CONDITIONS.get(random.nextInt(CONDITIONS.size()));
      String both =
          random.nextBoolean() ? wish : wish.replaceFirst("}$", ",'cel':\"" + condition + "\"}");
      objects.put("wish-" + i, new Gson().fromJson(both, GpuClaimParametersSpec.class));
    }
    return IntStream.range(0, claims)
        .mapToObj(i -> GpuSamples.claim("c" + i, GpuSamples.ofClaim("wish-" + i)))
        .collect(toImmutableList());
  }

  private static ImmutableList<PendingClaim<GpuRequest>> pending(
      GpuDriver driver, ImmutableList<ClaimFacts> pod) {
    return pod.stream()
        .map(
            claim ->
                new PendingClaim<>(
                    claim,
                    CLASS,
                    ((Parameters.Ready<GpuRequest>) driver.parameters(CLASS, claim)).value()))
        .collect(toImmutableList());
  }

  /** By node and claim, for people. */
  private static ImmutableSortedMap<String, String> texts(Suitability suitability) {
    ImmutableSortedMap.Builder<String, String> texts = ImmutableSortedMap.naturalOrder();
    suitability
        .unsuitable()
        .forEach(
            (claim, reasons) ->
                reasons.forEach(
                    (node, reason) ->
                        texts.put(
                            node + " " + claim.value(),
                            reason.label() + ": " + reason.text(Audience.READER_OF_ALL))));
    return texts.build();
  }

  /** By an attempt to get what is asked, of which nobody remembers anything. */
  private ImmutableSortedMap<String, String> alone(
      String node, World world, ImmutableList<ClaimFacts> pod) {
    Ledgers ledgers = new Ledgers();
    world.on(node, ledgers);
    GpuDriver driver = driver(ledgers);
    Allocation allocation =
        driver.allocate(pending(driver, pod), new NodeChoice.On(node), new Owner("somebody"));
    return allocation instanceof Allocation.Refused refused
        ? texts(refused.why())
        : ImmutableSortedMap.of();
  }

  @Property(tries = 400)
  void eachAnswersAsItWouldAlone(@ForAll long seed) {
    Random random = new Random(seed);
    ImmutableSortedMap<String, World> worlds = worlds(random);
    Ledgers all = new Ledgers();
    worlds.forEach((node, world) -> world.on(node, all));
    GpuDriver driver = driver(all);
    for (int i = 0; i < 8; i++) {
      ImmutableList<ClaimFacts> pod = pod(random);
      ImmutableSortedMap.Builder<String, String> alone = ImmutableSortedMap.naturalOrder();
      worlds.forEach((node, world) -> alone.putAll(alone(node, world, pod)));

      assertThat(texts(driver.suitability(pending(driver, pod), worlds.keySet())))
          .isEqualTo(alone.build());
    }
  }
}
