package io.gpudra.controller.gpu;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.gson.Gson;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.NamespaceAudience;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Nodes that look alike or nearly so answer as each of them would answer alone. */
class AlikeNodesTest {
  private static final int NODES = 3;
  private static final ClassFacts CLASS = GpuSamples.resourceClass(Optional.empty());

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
          "device.pcieDeviceID == '20b2'",
          "device.migEnabled",
          "device.migCapable",
          "device.parentUUID.contains('n1')",
          "device.uuid.contains('n2')",
          "device.nvlinkPeers > 0",
          "device.node == 'n2'");

  private final GpuSamples.Objects objects = new GpuSamples.Objects();

  private static ImmutableSortedMap<String, RandomNode> worlds(Random random) {
    RandomNode usual = RandomNode.any(random);
    ImmutableSortedMap.Builder<String, RandomNode> worlds = ImmutableSortedMap.naturalOrder();
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
        () -> new GrantAudit(1, Instant.EPOCH),
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
                    ((DriverParameters.Ready<GpuRequest>) driver.parameters(CLASS, claim)).value()))
        .collect(toImmutableList());
  }

  /** By node and claim, for people. */
  private static ImmutableSortedMap<String, String> texts(NodeSuitability suitability) {
    ImmutableSortedMap.Builder<String, String> texts = ImmutableSortedMap.naturalOrder();
    suitability
        .unsuitable()
        .forEach(
            (claim, reasons) ->
                reasons.forEach(
                    (node, reason) ->
                        texts.put(
                            node + " " + claim.value(),
                            reason.kind().label()
                                + ": "
                                + reason.text(NamespaceAudience.READER_OF_ALL))));
    return texts.build();
  }

  /** By an attempt to get what is asked, of which nobody remembers anything. */
  private ImmutableSortedMap<String, String> alone(
      String node, RandomNode world, ImmutableList<ClaimFacts> pod) {
    Ledgers ledgers = new Ledgers();
    world.on(node, ledgers);
    GpuDriver driver = driver(ledgers);
    Allocation allocation =
        driver.allocate(
            pending(driver, pod), new NodeChoice.OneNode(node), new HoldOwner("somebody"));
    return allocation instanceof Allocation.Refused refused
        ? texts(refused.why())
        : ImmutableSortedMap.of();
  }

  @Property(tries = 400)
  void eachAnswersAsItWouldAlone(@ForAll long seed) {
    Random random = new Random(seed);
    ImmutableSortedMap<String, RandomNode> worlds = worlds(random);
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
