package io.gpudra.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.dra.ContextStore.StatusPatch;
import io.gpudra.controller.dra.Driver;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.engine.ProtocolEngine;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.kube.mapping.NamespaceMapping;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.PodRef;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.http.ApiServer;
import io.gpudra.simulator.http.Faults.Fault;
import io.gpudra.simulator.http.Faults.Match;
import io.gpudra.simulator.server.ObjectServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** All ports together against the API server double over HTTP. */
class KubeClusterTest {
  private static final ClaimRef REF = new ClaimRef("default", "c1");
  private static final ObjectKey CONTEXT = new ObjectKey("default", "p1");
  private static final ResourceHandle HANDLE =
      new ResourceHandle("the data", Optional.of("w1"), true);
  private static final JsonMapper JSON = new JsonMapper();

  private final ObjectServer api = new ObjectServer(Clock.systemUTC(), new Random(1));
  private final ApiServer server = ApiServer.start(api, 0);
  private final HttpClients http =
      HttpClients.plain(server.url().toString(), Duration.ofSeconds(20), new MetricRegistry());
  private final KubeCluster cluster =
      new KubeCluster(
          http,
          new KubeSettings("gpu.example.com", 30, Clock.systemUTC()),
          () -> true,
          new MetricRegistry());
  private final List<String> observed = new CopyOnWriteArrayList<>();
  private final List<String> nodes = new CopyOnWriteArrayList<>();

  @BeforeEach
  void install() throws IOException {
    define("gpuclaimparameters");
    define("gpuclassparameters");
    define("nodeinventories");
    create(Resource.NODES, "Node", "{\"metadata\":{\"name\":\"w1\"}}");
    create(
        Resource.CLASSES,
        "ResourceClass",
        "{\"metadata\":{\"name\":\"gpu\"},\"driverName\":\"gpu.example.com\"}");
    create(
        Resource.CLAIMS,
        "ResourceClaim",
        "{\"metadata\":{\"namespace\":\"default\",\"name\":\"c1\"},"
            + "\"spec\":{\"resourceClassName\":\"gpu\"}}");
  }

  private void define(String kind) throws IOException {
    Map<String, Object> crd =
        new Yaml().load(Files.readString(Path.of("../../crds/" + kind + ".yaml")));
    api.create(Resource.CRDS, JSON.valueToTree(crd));
  }

  @AfterEach
  void stop() {
    cluster.close();
    http.close();
    server.close();
  }

  @Test
  void seesWhatIsThereAndHearsWhatComes() throws JsonProcessingException {
    Requeuer unused = start();
    assertThat(cluster.classes().get("gpu").map(ClassFacts::driverName))
        .hasValue("gpu.example.com");
    assertThat(cluster.claims().ofClass("gpu")).containsExactly(REF);
    assertThat(nodes).containsExactly("w1 Absent");
    create(
        gpu("gpuclaimparameters"),
        "GpuClaimParameters",
        "{\"metadata\":{\"namespace\":\"default\",\"name\":\"two\"},\"spec\":{\"count\":2}}");
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> cluster.ofClaim("default", "two").isPresent());
    api.delete(Resource.CLAIMS, "default", "c1", Optional.empty());
    await().atMost(Duration.ofSeconds(60)).until(() -> cluster.claims().get(REF).isEmpty());
    assertThat(cluster.silences()).hasSize(8).containsKey("resourceclaims");
  }

  /** As after an upgrade of the controller alone. */
  @Test
  void withoutTheirDefinitionThereAreNoQuotasAndLaterThereAre() throws IOException {
    List<String> limits = new CopyOnWriteArrayList<>();
    cluster.quotas().setListener((namespace, some) -> limits.add(namespace + " " + some.size()));
    Requeuer unused = start();
    assertThat(cluster.refusals()).isEmpty();
    define("gpuquotas");
    create(
        gpu("gpuquotas"),
        "GpuQuota",
        "{\"metadata\":{\"namespace\":\"default\",\"name\":\"q\"},\"spec\":{\"hard\":{\"gpus\":2}}}");
    await().atMost(Duration.ofSeconds(60)).until(() -> limits.contains("default 1"));
    api.delete(gpu("gpuquotas"), "default", "q", Optional.empty());
    await().atMost(Duration.ofSeconds(60)).until(() -> limits.contains("default 0"));
    assertThat(cluster.silences()).hasSize(9);
  }

  @Test
  void writesAClaimsWholeLife() {
    Requeuer unused = start();
    server.faults().delayWatches(Duration.ofSeconds(2));
    PodRef pod = new PodRef("default", "p1", "pod-uid");
    ClaimFacts withFinalizer = done(cluster.claims().addFinalizer(known()));
    ClaimFacts allocated = done(cluster.claims().allocate(withFinalizer, HANDLE, Optional.of(pod)));
    assertThat(allocated.reservedFor()).containsExactly("pod-uid");
    assertThat(known().allocation().flatMap(ClaimFacts.Granted::ours)).hasValue(HANDLE);
    unreserve();
    server.faults().clear();
    await().atMost(Duration.ofSeconds(60)).until(() -> known().reservedFor().isEmpty());
    ClaimFacts deallocated =
        done(cluster.claims().deallocate(known(), /* keepDriverName= */ false));
    assertThat(deallocated.allocation()).isEmpty();
    assertThat(done(cluster.claims().removeFinalizer(deallocated)).hasFinalizer()).isFalse();
  }

  @Test
  void anAllocationWhoseReplyWasLostIsUnclearAndThenFoundDone() {
    Requeuer unused = start();
    ClaimFacts withFinalizer = done(cluster.claims().addFinalizer(known()));
    server.faults().inject(new Match("patch", "resourceclaims/status", ""), Fault.dropAfter(), 1);
    assertThat(cluster.claims().allocate(withFinalizer, HANDLE, Optional.empty()).kind())
        .isEqualTo(Kind.UNCLEAR);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                cluster.claims().allocate(withFinalizer, HANDLE, Optional.empty()).kind()
                    == Kind.DONE);
    assertThat(observed).contains("c1 the data");
  }

  @Test
  void aConflictIsAConflictAndACutWatchGoesOn() {
    Requeuer unused = start();
    ClaimFacts seen = known();
    server.faults().delayWatches(Duration.ofSeconds(5));
    ObjectNode claim = api.get(Resource.CLAIMS, "default", "c1").orElseThrow();
    claim.withObject("/metadata/labels").put("a", "b");
    api.update(Resource.CLAIMS, claim);
    assertThat(cluster.claims().addFinalizer(seen).kind()).isEqualTo(Kind.CONFLICT);
    server.faults().clear();
    server.faults().cutWatches();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> !known().resourceVersion().equals(seen.resourceVersion()));
    assertThat(done(cluster.claims().addFinalizer(known())).hasFinalizer()).isTrue();
  }

  @Test
  void appliesOurEntriesBesideThoseOfOthers() throws JsonProcessingException {
    ObjectNode context =
        create(
            Resource.CONTEXTS,
            "PodSchedulingContext",
            "{\"metadata\":{\"namespace\":\"default\",\"name\":\"p1\"},"
                + "\"spec\":{\"potentialNodes\":[\"w1\"]}}");
    context
        .withObject("/status")
        .withArray("resourceClaims")
        .addObject()
        .put("name", "net")
        .putArray("unsuitableNodes")
        .add("w1");
    api.updateStatus(Resource.CONTEXTS, context);
    Requeuer unused = start();
    ContextFacts seen = cluster.contexts().get(CONTEXT).orElseThrow();
    StatusPatch patch = new StatusPatch(ImmutableSortedMap.of("gpu", ImmutableList.of("w1")));
    assertThat(cluster.contexts().apply(seen, patch)).isEqualTo(Kind.DONE);
    assertThat(cluster.contexts().apply(seen, patch)).isEqualTo(Kind.DONE);
    await().atMost(Duration.ofSeconds(60)).until(() -> entries().size() == 2);
    assertThat(entries()).containsEntry("net", ImmutableSet.of("w1"));
    api.delete(Resource.CONTEXTS, "default", "p1", Optional.empty());
    assertThat(cluster.contexts().apply(seen, patch)).isEqualTo(Kind.GONE);
  }

  @Test
  void aNamespaceThatIsLabelledWakesTheClaimsOfClassesThatChoose() throws JsonProcessingException {
    create(Resource.NAMESPACES, "Namespace", "{\"metadata\":{\"name\":\"team\"}}");
    create(
        gpu("gpuclassparameters"),
        "GpuClassParameters",
        "{\"metadata\":{\"name\":\"gold\"},\"spec\":{\"namespaceSelector\":"
            + "{\"matchLabels\":{\"tier\":\"gold\"}}}}");
    create(
        Resource.CLASSES,
        "ResourceClass",
        "{\"metadata\":{\"name\":\"gold\"},\"driverName\":\"gpu.example.com\",\"parametersRef\":"
            + "{\"apiGroup\":\"gpu.resource.example.com\",\"kind\":\"GpuClassParameters\","
            + "\"name\":\"gold\"}}");
    for (String className : List.of("gold", "gpu")) {
      create(
          Resource.CLAIMS,
          "ResourceClaim",
          "{\"metadata\":{\"namespace\":\"team\",\"name\":\"%s\"},\"spec\":{\"resourceClassName\":\"%s\"}}"
              .formatted(className, className));
    }
    Requeuer requeuer = start();
    requeuer.begin();
    assertThat(cluster.labelsOfNamespace("team")).isPresent();

    label("tier", "gold");

    await().atMost(Duration.ofSeconds(60)).until(() -> requeuer.claimKeys().depth() == 1);
    assertThat(cluster.labelsOfNamespace("team").orElseThrow()).containsEntry("tier", "gold");
    IntStream.range(0, NamespaceMapping.MAX_CHARACTERS / 60)
        .forEach(i -> label("key" + i, "x".repeat(60)));
    await().atMost(Duration.ofSeconds(60)).until(() -> cluster.labelsOfNamespace("team").isEmpty());
  }

  private void label(String key, String value) {
    ObjectNode object = api.get(Resource.NAMESPACES, "", "team").orElseThrow();
    object.withObject("/metadata/labels").put(key, value);
    api.update(Resource.NAMESPACES, object);
  }

  private ImmutableMap<String, ImmutableSet<String>> entries() {
    return cluster.contexts().get(CONTEXT).orElseThrow().unsuitableNodes();
  }

  private Requeuer start() {
    Requeuer requeuer = new Requeuer(System::nanoTime, new Random(1));
    ProtocolEngine engine =
        new ProtocolEngine(
            new ObservingDriver(),
            new ProtocolEngine.Ports(
                cluster.claims(),
                cluster.contexts(),
                cluster.pods(),
                cluster.classes(),
                cluster.reports()),
            requeuer,
            Runnable::run,
            System::nanoTime);
    assertThat(engine.claims()).as("built, so that the wake-ups know whom to tell").isNotNull();
    cluster.start(
        requeuer,
        new NodeListener(
            inventory ->
                nodes.add(
                    inventory.node().name() + " " + inventory.service().getClass().getSimpleName()),
            spoke -> {},
            node -> nodes.add(node + " gone")));
    await().atMost(Duration.ofSeconds(60)).until(cluster::synced);
    return requeuer;
  }

  private ClaimFacts known() {
    return cluster.claims().get(REF).orElseThrow();
  }

  private static ClaimFacts done(WriteOutcome outcome) {
    assertThat(outcome.kind()).isEqualTo(Kind.DONE);
    return outcome.now().orElseThrow();
  }

  private void unreserve() {
    ObjectNode claim = api.get(Resource.CLAIMS, "default", "c1").orElseThrow();
    claim.withObject("/status").remove("reservedFor");
    api.updateStatus(Resource.CLAIMS, claim);
  }

  private ObjectNode create(Resource resource, String kind, String json)
      throws JsonProcessingException {
    ObjectNode object = (ObjectNode) JSON.readTree(json);
    String group = resource.group().isEmpty() ? "" : resource.group() + "/";
    object.put("apiVersion", group + resource.version()).put("kind", kind);
    return api.create(resource, object);
  }

  private static Resource gpu(String plural) {
    return new Resource("gpu.resource.example.com", "v1alpha1", plural);
  }

  private final class ObservingDriver implements Driver<String> {
    @Override
    public String name() {
      return "gpu.example.com";
    }

    @Override
    public void gone(ClaimUid claim) {
      // Nothing is remembered.
    }

    @Override
    public DriverParameters<String> parameters(ClassFacts resourceClass, ClaimFacts claim) {
      throw new UnsupportedOperationException("nothing is reconciled here");
    }

    @Override
    public long bytes(String parameters) {
      throw new UnsupportedOperationException("nothing is reconciled here");
    }

    @Override
    public ImmutableMap<ClaimUid, ImmutableList<String>> problems(
        ImmutableList<PendingClaim<String>> claims) {
      throw new UnsupportedOperationException("nothing is reconciled here");
    }

    @Override
    public ImmutableList<String> unsatisfiable(ClassFacts resourceClass, ClaimFacts claim) {
      throw new UnsupportedOperationException("nothing is reconciled here");
    }

    @Override
    public NodeSuitability suitability(
        ImmutableList<PendingClaim<String>> claims, ImmutableSet<String> candidates) {
      throw new UnsupportedOperationException("nothing is reconciled here");
    }

    @Override
    public Allocation allocate(
        ImmutableList<PendingClaim<String>> claims, NodeChoice where, HoldOwner owner) {
      throw new UnsupportedOperationException("nothing is reconciled here");
    }

    @Override
    public void granted(ClaimUid claim, HoldOwner owner) {}

    @Override
    public void release(ClaimUid claim, HoldOwner owner) {}

    @Override
    public boolean isSurplus(ClaimUid claim) {
      throw new UnsupportedOperationException("nothing is reconciled here");
    }

    @Override
    public boolean mayStillBePrepared(ClaimUid claim) {
      throw new UnsupportedOperationException("nothing is reconciled here");
    }

    @Override
    public void observe(ClaimRef ref, ClaimUid claim, Optional<ResourceHandle> ours) {
      ours.ifPresent(handle -> observed.add(ref.name() + " " + handle.data()));
    }
  }
}
