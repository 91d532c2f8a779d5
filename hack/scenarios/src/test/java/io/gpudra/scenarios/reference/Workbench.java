package io.gpudra.scenarios.reference;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.facts.PodUse;
import io.gpudra.controller.gpu.GpuAlerts;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.gpu.ParametersObjects;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.NodeDemand;
import io.gpudra.crds.model.node.NodeSelector;
import io.gpudra.crds.testing.NodeFixture;
import io.gpudra.kubeletplugin.device.FakeDevices;
import io.gpudra.kubeletplugin.device.FakeNodeProfiles;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** One node and what claims ask of it, judged by the driver itself. */
final class Workbench implements ParametersObjects, GpuAlerts {
  static final String NODE = "worker-1";
  static final String NAMESPACE = "team-a";
  static final Instant NOW = Instant.parse("2026-01-15T12:00:00Z");
  static final ClassFacts CLASS = ofClass(Optional.empty());

  /** With parameters. */
  static final ClassFacts OF_CLASS =
      new ClassFacts(
          CLASS.name(),
          GpuApi.GROUP,
          false,
          Optional.of(
              new ParametersRef(
                  GpuApi.GROUP, GpuClassParameters.KIND, Optional.empty(), CLASS.name())),
          Optional.empty());

  /** The claim that does not get what it asks for. */
  static final String CLAIM = "train";

  private static final String DRIVER = GpuApi.GROUP;
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final HoldOwner OTHER = new HoldOwner("other");

  private final Ledgers ledgers = new Ledgers();
  private final Map<String, GpuClaimParameters> parameters = new HashMap<>();
  private Optional<GpuClassParameters> classParameters = Optional.empty();
  private final GpuDriver driver =
      new GpuDriver(DRIVER, this, ledgers, () -> new GrantAudit(1, NOW), this);

  /** With this node. */
  static Workbench of(Inventory inventory) {
    Workbench bench = new Workbench();
    bench.ledgers.observe(inventory);
    return bench;
  }

  /** A node as a profile of fake GPUs has it. */
  static Inventory node(String profile) {
    FakeDevices devices = new FakeDevices(FakeNodeProfiles.parse(profile).of(NODE), NODE);
    return NodeFixture.node(NODE)
        .driver(devices.driverVersion(), devices.cudaDriverVersion())
        .gpus(devices.gpus())
        .links(devices.links().toArray(GpuLink[]::new))
        .inventory();
  }

  static ClaimRef ref(String claim) {
    return new ClaimRef(NAMESPACE, claim);
  }

  static ClaimUid uid(String claim) {
    return new ClaimUid("uid-of-" + claim);
  }

  private static ClassFacts ofClass(Optional<NodeSelector> suitableNodes) {
    return new ClassFacts("gpu.example.com", DRIVER, false, Optional.empty(), suitableNodes);
  }

  static ClaimFacts facts(String claim) {
    return new ClaimFacts(
        ref(claim),
        uid(claim),
        "1",
        NOW,
        CLASS.name(),
        Optional.of(
            new ParametersRef(
                GpuApi.GROUP, GpuClaimParameters.KIND, Optional.of(NAMESPACE), claim)),
        ClaimFacts.Mode.DELAYED,
        /* deleting= */ false,
        /* deallocationRequested= */ false,
        /* hasFinalizer= */ false,
        /* hasBuiltinFinalizer= */ false,
        Optional.empty(),
        /* mayStillBePrepared= */ false,
        ImmutableSet.of(),
        Optional.empty());
  }

  Ledgers ledgers() {
    return ledgers;
  }

  NodeLedger ledger() {
    return ledgers.ledger(NODE);
  }

  GpuDriver driver() {
    return driver;
  }

  /** What the driver reads of a claim with these parameters, in a class with these. */
  DriverParameters<GpuRequest> read(String ofClass, String spec) {
    classParameters = Optional.of(classParameters(ofClass));
    ask(CLAIM, spec);
    return driver.parameters(OF_CLASS, facts(CLAIM));
  }

  private static GpuClassParameters classParameters(String spec) {
    return new GpuClassParameters(
        GpuApi.GROUP_VERSION,
        GpuClassParameters.KIND,
        new V1ObjectMeta().name(CLASS.name()),
        parsed(spec, GpuClassParametersSpec.class));
  }

  private void ask(String claim, String spec) {
    parameters.put(
        claim,
        new GpuClaimParameters(
            GpuApi.GROUP_VERSION,
            GpuClaimParameters.KIND,
            new V1ObjectMeta().name(claim).generation(1L),
            parsed(spec, GpuClaimParametersSpec.class)));
  }

  private static <T> T parsed(String text, Class<T> type) {
    try {
      return YAML.readValue(text, type);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  private PendingClaim<GpuRequest> pending(
      String claim, String spec, ClassFacts ofClass, PodUse pod) {
    ask(claim, spec);
    DriverParameters<GpuRequest> read = driver.parameters(ofClass, facts(claim));
    if (read instanceof DriverParameters.Ready<GpuRequest> ready) {
      return new PendingClaim<>(facts(claim), ofClass, ready.value(), pod);
    }
    throw new IllegalArgumentException(read.toString());
  }

  /** Another claim has what it asks for. */
  Workbench held(String claim, String spec) {
    Allocation.Held held =
        (Allocation.Held)
            driver.allocate(
                ImmutableList.of(pending(claim, spec, CLASS, PodUse.NONE)),
                new NodeChoice.OneNode(NODE),
                OTHER);
    driver.granted(uid(claim), OTHER);
    driver.observe(ref(claim), uid(claim), Optional.of(held.handle(uid(claim))));
    return this;
  }

  /** Why the node does not serve a claim that asks for this. */
  UnsuitableReason refuses(String spec) {
    return refusesAll(ImmutableList.of(spec));
  }

  /** Why it does not serve the first of these claims of one pod. */
  UnsuitableReason refusesAll(ImmutableList<String> specs) {
    ImmutableList.Builder<PendingClaim<GpuRequest>> all = ImmutableList.builder();
    for (int i = 0; i < specs.size(); i++) {
      all.add(pending(i == 0 ? CLAIM : CLAIM + "-" + i, specs.get(i), CLASS, PodUse.NONE));
    }
    return refuses(new NodeChoice.OneNode(NODE), all.build());
  }

  /** The same of a claim that is carved out of another one's device. */
  UnsuitableReason refusesInside(String parent, String spec) {
    PodUse.Entry entry = new PodUse.Entry(parent, Optional.of(facts(parent)), Optional.of(DRIVER));
    PodUse pod = new PodUse(ImmutableList.of(entry), ImmutableList.of());
    return refuses(
        new NodeChoice.OneNode(NODE), ImmutableList.of(pending(CLAIM, spec, CLASS, pod)));
  }

  /** Why it is not chosen for an Immediate claim of a class of these nodes. */
  UnsuitableReason isNotChosen(NodeSelector suitableNodes) {
    ClassFacts ofNodes = ofClass(Optional.of(suitableNodes));
    return refuses(
        new NodeChoice.AnyNode(ImmutableSet::of),
        ImmutableList.of(pending(CLAIM, "{}", ofNodes, PodUse.NONE)));
  }

  /** Why it is not chosen for a pod with this demand on its node. */
  UnsuitableReason isNotChosen(NodeDemand demand) {
    return refuses(
        new NodeChoice.Fitting(demand, Optional.empty(), ImmutableSet::of),
        ImmutableList.of(pending(CLAIM, "{}", CLASS, PodUse.NONE)));
  }

  private UnsuitableReason refuses(
      NodeChoice where, ImmutableList<PendingClaim<GpuRequest>> claims) {
    Allocation.Refused refused =
        (Allocation.Refused) driver.allocate(claims, where, new HoldOwner("a pod"));
    return refused.why().of(uid(CLAIM)).values().iterator().next();
  }

  @Override
  public Optional<GpuClaimParameters> ofClaim(String namespace, String name) {
    return Optional.ofNullable(parameters.get(name));
  }

  @Override
  public Optional<GpuClassParameters> ofClass(String name) {
    return classParameters;
  }

  @Override
  public Optional<ImmutableMap<String, String>> labelsOfNamespace(String namespace) {
    return Optional.of(ImmutableMap.of());
  }

  @Override
  public void unreadableHandle(
      ClaimRef ref, ClaimUid claim, Optional<String> node, String problem) {}

  @Override
  public void strayHandle(ClaimRef ref, ClaimUid claim, Grant grant) {}

  @Override
  public void conditionFailed(String expression, String problem) {}

  @Override
  public void conditionBroken(String expression, String result) {}
}
