package io.gpudra.scenarios.reference;

import static io.gpudra.scenarios.reference.Workbench.NODE;
import static io.gpudra.scenarios.reference.Workbench.NOW;
import static io.gpudra.scenarios.reference.Workbench.node;
import static io.gpudra.scenarios.reference.Workbench.ref;
import static io.gpudra.scenarios.reference.Workbench.uid;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.refusal.NodeFilters;
import io.gpudra.controller.allocation.refusal.NodeRefusal;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.NodeDemand;
import io.gpudra.crds.model.node.NodeSelector;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import io.gpudra.crds.testing.Taints;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/** For each cause a node that refuses a claim for it. */
final class Refusals {
  private static final Inventory TWO = node("a100-40:2");
  private static final Inventory EIGHT = node("a100-40");
  private static final NodeSelector EVERY_NODE = named(NODE);

  static final Service STALE = new Service.Stale(NOW.minus(Duration.ofHours(1)));
  static final Service IMPLAUSIBLE =
      new Service.Implausible("status.devices: Too many: 65 GPUs: must be at most 64");

  private Refusals() {}

  static UnsuitableReason example(Kind cause) {
    return switch (cause) {
      case ALL_MATCHING_IN_USE -> Workbench.of(TWO).held("other", "{count: 2}").refuses("{}");
      case TOO_FEW_FREE -> Workbench.of(TWO).held("other", "{}").refuses("{count: 2}");
      case NONE_MATCH -> Workbench.of(TWO).refuses("{memory: 80Gi}");
      case TOO_FEW_MATCH -> Workbench.of(TWO).refuses("{count: 4}");
      case TAINTED -> Workbench.of(tainted()).refuses("{}");
      case NO_ROOM -> Workbench.of(TWO).held("other", "{count: 2}").refuses("{migProfile: 1g.5gb}");
      case NEVER_ROOM -> Workbench.of(TWO).refuses("{migProfile: 7g.80gb}");
      case NOT_CONNECTED, NEVER_CONNECTED -> apart(cause);
      case TOO_MANY_COMBINATIONS -> Workbench.of(EIGHT).refusesAll(hard());
      case TOO_MANY_MONITORS -> monitored();
      case OLD_PLUGIN -> Workbench.of(old()).refuses("{memoryLimit: 10Gi}");
      case NOT_TOGETHER -> Workbench.of(TWO).refusesAll(ImmutableList.of("{count: 2}", "{}"));
      case PARENT_ELSEWHERE ->
          Workbench.of(TWO).refusesInside("outer", "{migProfile: 1g.5gb, insideClaim: outer}");
      case STILL_PREPARED -> Workbench.of(prepared(TWO.gpus().get(0).uuid())).refuses("{}");
      case NAME_HELD -> nameHeld(TWO.gpus().get(0).uuid());
      case HELD -> Workbench.of(TWO).held(Workbench.CLAIM, "{}").refuses("{}");
      case UNREADABLE_HANDLE -> unreadable();
      case HANDLE_TOO_LARGE -> Workbench.of(ofLongNames()).refuses("{count: 2}");
      case ON_OFFER -> NodeRefusal.onOffer();
      case NODE_KEPT -> new NodeRefusal.KeptForGroup(Workbench.NAMESPACE, "train", NOW);
      case NOT_JUDGED -> NodeRefusal.notEvaluated("java.lang.IllegalStateException");
      case INVENTORY_STALE -> serving(STALE);
      case PLUGIN_NOT_READY -> serving(new Service.NotReady("GpuDriverNotFound"));
      case INVENTORY_ABSENT -> serving(new Service.Absent());
      case INVENTORY_IMPLAUSIBLE -> serving(IMPLAUSIBLE);
      case NODE_NOT_READY, NODE_CORDONED, NODE_TAINTED, NODE_NOT_ADMITTED -> byNode(cause);
      case NODE_NOT_SELECTED -> demanding(Optional.of(named("worker-2")), ImmutableMap.of());
      case NODE_TOO_SMALL -> demanding(Optional.empty(), ImmutableMap.of("cpu", 1_000L));
      default -> throw new IllegalArgumentException("of no node: " + cause);
    };
  }

  private static UnsuitableReason apart(Kind cause) {
    Workbench bench = Workbench.of(EIGHT);
    return cause == Kind.NEVER_CONNECTED
        ? bench.refuses("{count: 3, topology: numa}")
        : bench
            .held("other", "{count: 4, cel: \"device.index % 2 == 0\"}")
            .refuses("{count: 2, topology: numa}");
  }

  private static ImmutableList<String> hard() {
    return IntStream.range(0, 12)
        .mapToObj(i -> IntStream.range(1, 9).mapToObj(k -> share(38 - i, k)).toList())
        .map("{alternatives: %s}"::formatted)
        .collect(ImmutableList.toImmutableList());
  }

  private static String share(int gibibytes, int millicores) {
    return "{memoryLimit: %dGi, millicores: %d}".formatted(gibibytes, millicores);
  }

  private static UnsuitableReason nameHeld(String gpu) {
    Workbench bench = Workbench.of(TWO);
    bench
        .ledgers()
        .observe(ref(Workbench.CLAIM), uid("earlier"), Optional.of(grant(uid("earlier"), gpu)));
    return bench.refuses("{}");
  }

  private static UnsuitableReason unreadable() {
    Workbench bench = Workbench.of(TWO);
    ResourceHandle handle = new ResourceHandle("{\"v\":9}", Optional.of(NODE), true);
    bench.driver().observe(ref("other"), uid("other"), Optional.of(handle));
    return bench.refuses("{}");
  }

  private static UnsuitableReason monitored() {
    Workbench bench = Workbench.of(TWO);
    for (int i = 0; i < NodeLedger.MAX_MONITORS; i++) {
      ClaimUid claim = uid("monitor-" + i);
      bench.ledgers().observe(ref(claim.value()), claim, Optional.of(grant(claim)));
    }
    return NodeFilters.ofMonitors(bench.ledgers().ledger(NODE), 1).orElseThrow();
  }

  private static UnsuitableReason serving(Service service) {
    return Workbench.of(TWO.with(service)).refuses("{}");
  }

  static Grant grant(ClaimUid claim, String... gpus) {
    return new Grant(
        claim,
        NODE,
        1,
        OptionalLong.of(1),
        NOW,
        Arrays.stream(gpus)
            .map(gpu -> new GrantedDevice("gpu-0", gpu))
            .collect(ImmutableList.toImmutableList()));
  }

  private static Inventory prepared(String gpu) {
    PreparedClaim earlier = GrantFixture.preparedWhole(uid("earlier"), ref(Workbench.CLAIM), gpu);
    return NodeFixture.like(TWO).prepared(earlier).inventory();
  }

  /** Of a plugin that knows whole GPUs only. */
  private static Inventory old() {
    return NodeFixture.like(TWO).format(1).inventory();
  }

  static Inventory tainted() {
    DeviceTaint taint =
        Taints.taint(
            "gpu.resource.example.com/xid",
            "79",
            DeviceTaint.Effect.NO_EXECUTE,
            "XID 79 (fell off the bus)",
            NOW);
    return NodeFixture.like(TWO).each(gpu -> gpu.with(ImmutableList.of(taint))).inventory();
  }

  private static Inventory ofLongNames() {
    return TWO.bare(
        NODE,
        TWO.gpus().stream().map(Refusals::longer).collect(ImmutableList.toImmutableList()),
        ImmutableList.of());
  }

  private static Gpu longer(Gpu gpu) {
    return gpu.toBuilder().name(gpu.name() + Strings.repeat("0", 9_000)).build();
  }

  private static UnsuitableReason byNode(Kind cause) {
    NodeState state =
        new NodeState(
            NODE,
            cause != Kind.NODE_NOT_READY,
            cause == Kind.NODE_CORDONED,
            cause == Kind.NODE_TAINTED
                ? ImmutableSortedSet.of("node.kubernetes.io/disk-pressure")
                : ImmutableSortedSet.of(),
            ImmutableMap.of());
    return Workbench.of(NodeFixture.like(TWO).state(state).inventory())
        .isNotChosen(cause == Kind.NODE_NOT_ADMITTED ? named("worker-2") : EVERY_NODE);
  }

  private static UnsuitableReason demanding(
      Optional<NodeSelector> required, ImmutableMap<String, Long> size) {
    return Workbench.of(TWO).isNotChosen(new NodeDemand(required, ImmutableList.of(), size));
  }

  private static NodeSelector named(String node) {
    NodeSelector.Requirement name =
        new NodeSelector.Requirement(
            "metadata.name", NodeSelector.Operator.IN, ImmutableList.of(node));
    return new NodeSelector(
        ImmutableList.of(new NodeSelector.Term(ImmutableList.of(), ImmutableList.of(name))));
  }
}
