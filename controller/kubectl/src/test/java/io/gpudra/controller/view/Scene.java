package io.gpudra.controller.view;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.gson.Gson;
import io.gpudra.controller.access.ClusterView;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.facts.GroupLabel;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.kube.ClusterObjects;
import io.gpudra.controller.kube.ForbiddenKind;
import io.gpudra.controller.kube.mapping.CachedClaim;
import io.gpudra.controller.kube.mapping.CachedQuota;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.quota.GpuQuotaSpec;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.WaitRank;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/** A reading made by hand. The UID of a claim is {@code uid-of-} and its name; so of a pod. */
public final class Scene {
  public static final Instant NOW = Instant.parse("2026-11-24T12:00:00Z");
  public static final String DRIVER = DeviceSamples.DRIVER;
  private static final String TEAM = "team-a";

  private final Map<String, NodeFixture> nodes = new LinkedHashMap<>();
  private final Map<String, ClaimFacts> claims = new LinkedHashMap<>();
  private final Map<String, ClassFacts> classes = new HashMap<>();
  private final Map<String, CachedQuota> quotas = new HashMap<>();
  private final Map<String, GpuClaimParameters> parameters = new HashMap<>();
  private final Map<ClaimUid, ImmutableList<CachedClaim.Consumer>> consumers = new HashMap<>();
  private final List<PodView> pods = new ArrayList<>();
  private final List<ContextFacts> contexts = new ArrayList<>();
  private final List<ForbiddenKind> withheld = new ArrayList<>();

  public Scene() {
    classes.put("gpu", new ClassFacts("gpu", DRIVER, false, Optional.empty(), Optional.empty()));
  }

  public static String uuid(String node, int index) {
    return "GPU-" + node + "-" + index;
  }

  public static Gpu gpu(String node, int index, GpuModel model) {
    return inMigMode(GpuModels.gpu(uuid(node, index), index, model));
  }

  private static Gpu inMigMode(Gpu gpu) {
    return gpu.model().migProfiles().isEmpty() ? gpu : gpu.with(GpuModels.enabled());
  }

  /** With so many A100. */
  public Scene node(String name, int gpus) {
    return node(name, Collections.nCopies(gpus, DeviceSamples.A100).toArray(GpuModel[]::new));
  }

  public Scene node(String name, GpuModel... models) {
    nodes.put(name, NodeFixture.node(name).gpus(models).each(Scene::inMigMode));
    return this;
  }

  public Scene node(Inventory inventory) {
    nodes.put(inventory.node().name(), NodeFixture.like(inventory));
    return this;
  }

  private NodeFixture known(String node) {
    return Objects.requireNonNull(nodes.get(node));
  }

  public Scene service(String node, Inventory.Service service) {
    known(node).service(service);
    return this;
  }

  public Scene taint(String node, int index) {
    known(node).taint(index, DeviceSamples.xid(79));
    return this;
  }

  /** What the GPU is cut into, of which the first one is tainted. */
  public Scene cut(String node, int index, Part.Slice... slices) {
    List<MigState.Device> devices = new ArrayList<>();
    for (Part.Slice slice : slices) {
      MigState.Device device = GrantFixture.migDevice("MIG-" + slice.start(), slice);
      devices.add(
          devices.isEmpty() ? device.with(ImmutableList.of(DeviceSamples.xid(95))) : device);
    }
    known(node).mig(index, devices.toArray(MigState.Device[]::new));
    return this;
  }

  public Scene prepared(String node, String claim, GrantedPart... parts) {
    known(node).prepared(GrantFixture.prepared(uid(claim), ref(claim), parts));
    return this;
  }

  public static GrantedPart whole(String node, int index) {
    return GrantedPart.whole(uuid(node, index));
  }

  public static GrantedPart share(String node, int index, long gibibytes) {
    return GrantFixture.share(uuid(node, index), gibibytes);
  }

  public static GrantedPart part(String node, int index, Part part) {
    return GrantFixture.part(uuid(node, index), part);
  }

  /** {@code team-a/x} from {@code x} or from itself. */
  public static ClaimRef ref(String claim) {
    int slash = claim.indexOf('/');
    return slash < 0
        ? new ClaimRef(TEAM, claim)
        : new ClaimRef(claim.substring(0, slash), claim.substring(slash + 1));
  }

  public static ClaimUid uid(String claim) {
    return new ClaimUid("uid-of-" + ref(claim).name());
  }

  /** Granted so long ago. */
  public Scene granted(String claim, Duration ago, String node, GrantedPart... parts) {
    Grant grant =
        new Grant(
            uid(claim),
            node,
            1,
            OptionalLong.of(1),
            NOW.minus(ago),
            Arrays.stream(parts)
                .map(part -> new GrantedDevice(name(node, part), part, false))
                .collect(ImmutableList.toImmutableList()));
    ResourceHandle handle = new ResourceHandle(HandleCodec.encode(grant), Optional.of(node), true);
    return claim(
        claim,
        ago,
        Optional.of(new ClaimFacts.Granted(DRIVER, Optional.of(handle))),
        Optional.empty());
  }

  private static String name(String node, GrantedPart part) {
    String gpu = "gpu-" + part.gpuUuid().substring(("GPU-" + node + "-").length());
    return part.part() instanceof Part.Slice slice ? slice.nameOn(gpu) : gpu;
  }

  /** Waits for so long, and asks for this; an empty spec asks for one GPU. */
  public Scene waiting(String claim, Duration since, String spec) {
    return claim(claim, since, Optional.empty(), asking(claim, spec));
  }

  private Optional<ParametersRef> asking(String claim, String spec) {
    if (spec.isEmpty()) {
      return Optional.empty();
    }
    ClaimRef ref = ref(claim);
    parameters(claim, 1, spec);
    return Optional.of(
        new ParametersRef(
            GpuApi.GROUP, GpuClaimParameters.KIND, Optional.of(ref.namespace()), ref.name()));
  }

  /** A quota of the namespace for claims of the class. */
  public Scene quota(String namespace, String name, String ofClass, String gpus) {
    GpuQuotaSpec spec =
        new GpuQuotaSpec(List.of(ofClass), new GpuQuotaSpec.Hard(gpus, /* memory= */ null));
    quotas.put(namespace + "/" + name, new CachedQuota(spec, Optional.empty()));
    return this;
  }

  /** The object that a claim of this name refers to. */
  public Scene parameters(String claim, long generation, String spec) {
    ClaimRef ref = ref(claim);
    V1ObjectMeta metadata =
        new V1ObjectMeta().namespace(ref.namespace()).name(ref.name()).generation(generation);
    parameters.put(
        ref.toString(),
        new GpuClaimParameters(
            GpuApi.GROUP_VERSION,
            GpuClaimParameters.KIND,
            metadata,
            new Gson().fromJson(spec, GpuClaimParametersSpec.class)));
    return this;
  }

  private Scene claim(
      String claim,
      Duration age,
      Optional<ClaimFacts.Granted> allocation,
      Optional<ParametersRef> asking) {
    claims.put(
        ref(claim).toString(),
        Some.claim(ref(claim).name())
            .in(ref(claim).namespace())
            .uid(uid(claim).value())
            .created(NOW.minus(age))
            .ofClass("gpu")
            .parameters(asking)
            .withFinalizer(allocation.isPresent())
            .allocation(allocation)
            .facts());
    return this;
  }

  /** The claim is to be allocated before anybody uses it. */
  public Scene immediate(String claim) {
    return change(claim, Some::immediate);
  }

  /** The claim was created for the pod. */
  public Scene owned(String claim, String pod) {
    return change(claim, some -> some.owner(uid(pod).value()));
  }

  /** The claim refers to an object of its name. */
  public Scene asks(String claim, long generation, String spec) {
    return parameters(claim, generation, spec)
        .change(claim, some -> some.parameters(asking(claim, spec)));
  }

  private Scene change(String claim, UnaryOperator<Some> how) {
    claims.computeIfPresent(ref(claim).toString(), (ref, old) -> Some.change(how).apply(old));
    return this;
  }

  public Scene withoutParameters() {
    parameters.clear();
    return this;
  }

  /** Runs on a node and uses these claims. */
  public Scene running(String pod, String node, String... uses) {
    for (String claim : uses) {
      List<CachedClaim.Consumer> all =
          new ArrayList<>(consumers.getOrDefault(uid(claim), ImmutableList.of()));
      all.add(new CachedClaim.Consumer("", "pods", ref(pod).name(), uid(pod).value()));
      consumers.put(uid(claim), ImmutableList.copyOf(all));
    }
    return pod(pod, Duration.ofHours(1), Optional.of(node), "Running", uses);
  }

  /** Waits for these claims, and the scheduler considers these nodes for it. */
  public Scene pending(String pod, Duration since, ImmutableSet<String> offered, String... uses) {
    contexts.add(
        new ContextFacts(
            podRef(pod),
            "context-of-" + ref(pod).name(),
            "1",
            NOW.minus(since),
            false,
            Optional.empty(),
            offered,
            ImmutableMap.of()));
    return pod(pod, since, Optional.empty(), "Pending", uses);
  }

  private static PodRef podRef(String pod) {
    return new PodRef(ref(pod).namespace(), ref(pod).name(), uid(pod).value());
  }

  public Scene pod(String pod, Duration age, Optional<String> node, String phase, String... uses) {
    ImmutableList<PodFacts.PodClaim> entries =
        Arrays.stream(uses)
            .map(
                claim ->
                    new PodFacts.PodClaim(
                        ref(claim).name(), new PodFacts.Resolution.ResolvedTo(ref(claim), false)))
            .collect(ImmutableList.toImmutableList());
    PodFacts facts = facts(podRef(pod), 0, NOW.minus(age), entries);
    pods.add(
        new PodView(
            facts, NOW.minus(age), node, phase, Optional.empty(), PodView.Scheduling.USUAL));
    return this;
  }

  /** The priority of the pod that came last. */
  public Scene priority(int priority) {
    PodView pod = pods.remove(pods.size() - 1);
    PodFacts facts = facts(pod.facts().ref(), priority, pod.created(), pod.facts().claims());
    return pod(pod, facts, pod.owner(), pod.scheduling());
  }

  private static PodFacts facts(
      PodRef pod, int priority, Instant created, ImmutableList<PodFacts.PodClaim> entries) {
    return new PodFacts(
        pod,
        new WaitRank(priority, created),
        Optional.empty(),
        false,
        false,
        entries,
        ImmutableList.of());
  }

  private Scene pod(
      PodView pod, PodFacts facts, Optional<String> owner, PodView.Scheduling scheduling) {
    pods.add(new PodView(facts, pod.created(), pod.node(), pod.phase(), owner, scheduling));
    return this;
  }

  /** The pod that came last is a member of the group, of this size and of the group's Job. */
  public Scene member(String group, String size) {
    PodView pod = pods.remove(pods.size() - 1);
    PodFacts before = pod.facts();
    PodFacts facts =
        new PodFacts(
            before.ref(),
            before.rank(),
            Optional.of(new GroupLabel(GroupLabel.Kind.OWN, group, size, /* disputed= */ false)),
            false,
            isFinished(pod),
            before.claims(),
            ImmutableList.of());
    return pod(pod, facts, Optional.of("uid-of-job-" + group), pod.scheduling());
  }

  private static boolean isFinished(PodView pod) {
    return pod.phase().equals("Succeeded") || pod.phase().equals("Failed");
  }

  /** What the scheduler of the pod that came last is told of it, and says of it. */
  public Scene scheduling(PodView.Scheduling scheduling) {
    PodView pod = pods.remove(pods.size() - 1);
    return pod(pod, pod.facts(), pod.owner(), scheduling);
  }

  public Scene withheld(String resource) {
    withheld.add(new ForbiddenKind(resource, "v1", Optional.empty(), true));
    return this;
  }

  public UserView sight() {
    ClusterObjects reading =
        new ClusterObjects(
            ImmutableList.copyOf(claims.values()),
            ImmutableMap.copyOf(classes),
            ImmutableMap.copyOf(parameters),
            ImmutableMap.of(),
            ImmutableMap.of(),
            nodes.values().stream()
                .map(NodeFixture::inventory)
                .collect(ImmutableList.toImmutableList()),
            ImmutableMap.copyOf(quotas),
            ImmutableList.of());
    ClusterView objects =
        new ClusterView(
            reading,
            ImmutableMap.copyOf(consumers),
            pods.stream().filter(pod -> !isFinished(pod)).collect(ImmutableList.toImmutableList()),
            pods.stream().filter(Scene::isFinished).collect(ImmutableList.toImmutableList()),
            ImmutableList.copyOf(contexts),
            ImmutableMap.of(),
            ImmutableList.copyOf(withheld));
    return UserView.of(objects, DRIVER, NOW);
  }

  public ClusterSnapshot cluster() {
    return sight().cluster();
  }
}
