package io.gpudra.controller.kube;

import static io.gpudra.controller.client.ScriptedServer.json;
import static io.gpudra.controller.client.ScriptedServer.lines;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.LenientJson;
import io.gpudra.controller.client.ScriptedServer;
import io.gpudra.controller.client.watch.LiveObjects;
import io.gpudra.controller.client.watch.MalformedObject;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.GroupLabel;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.kube.mapping.ClassMapping;
import io.gpudra.controller.kube.mapping.NodeMapping;
import io.gpudra.controller.kube.mapping.PodMapping;
import io.gpudra.controller.kube.mapping.ResourceKinds;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.WaitRank;
import io.gpudra.crds.model.node.NodeState;
import io.kubernetes.client.openapi.apis.ResourceV1alpha2Api;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaim;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClass;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The smaller reads: pods, classes, nodes and what the server supports. */
class SmallReadsTest {
  private static final PodRef POD = new PodRef("ns", "p", "uid-1");
  private static final PodMapping PODS = new PodMapping(30, "gpu.example.com");

  @ParameterizedTest
  @CsvSource({"28+,28,v1alpha2,true", "30,30,v1alpha2,true", "31,31,v1alpha3,false"})
  void knowsWhatTheServerSupports(String minor, int expected, String served, boolean classic)
      throws IOException {
    try (ScriptedServer server =
            new ScriptedServer(
                call ->
                    call.path().equals("/version")
                        ? json(200, "{\"major\":\"1\",\"minor\":\"" + minor + "\"}")
                        : json(200, "{\"versions\":[{\"version\":\"" + served + "\"}]}"));
        HttpClients http = server.client()) {
      ServerSupport support = ServerSupport.of(http);
      assertThat(support.minor()).isEqualTo(expected);
      assertThat(support.classic()).isEqualTo(classic);
    }
  }

  @Test
  void aServerWithoutTheGroupSupportsNothing() throws IOException {
    try (ScriptedServer server =
            new ScriptedServer(
                call -> call.path().equals("/version") ? json(200, "{}") : json(404, "404 page"));
        HttpClients http = server.client()) {
      assertThat(ServerSupport.of(http).resourceVersions()).isEmpty();
      assertThat(ServerSupport.of(http).minor()).isZero();
    }
  }

  @Test
  void readsThePodOfThisUidOnly() throws IOException, ApiUnavailableException {
    String pod = "{\"metadata\":{\"uid\":\"uid-1\"},\"status\":{\"phase\":\"Pending\"}}";
    LinkedBlockingQueue<String> never = new LinkedBlockingQueue<>();
    try (ScriptedServer server =
            new ScriptedServer(
                call ->
                    switch (call.path()) {
                      case "/api/v1/namespaces/ns/pods/p" -> json(200, pod);
                      case "/api/v1/namespaces/ns/pods/broken" -> json(500, "{}");
                      case "/api/v1/namespaces/ns/pods/hangs" -> lines(never);
                      default -> json(404, "{}");
                    });
        HttpClients http = server.client(Duration.ofMillis(500))) {
      KubePodStore pods = new KubePodStore(http, PODS, bad -> {});
      assertThat(pods.read(POD).map(PodFacts::ref)).hasValue(POD);
      assertThat(pods.read(new PodRef("ns", "p", "former"))).isEmpty();
      assertThat(pods.read(new PodRef("ns", "gone", "uid-1"))).isEmpty();
      assertThatThrownBy(() -> pods.read(new PodRef("ns", "broken", "uid-1")))
          .isInstanceOf(ApiUnavailableException.class);
      assertThatThrownBy(() -> pods.read(new PodRef("ns", "hangs", "uid-1")))
          .isInstanceOf(ApiUnavailableException.class);
    }
  }

  @Test
  void readsWhichContainersOfAPodUseSeveralClaims() throws IOException, ApiUnavailableException {
    String both =
        "'env':[{'name':'A'}],'resources':{'limits':{'cpu':'1'},'claims':[{'name':'b'},{'name':'a'}]}";
    String pod =
        "{'metadata':{'uid':'uid-1'},'spec':{'resourceClaims':[{'name':'a'},{'name':'b'}],"
            + "'initContainers':[{'name':'first',%s}],'containers':[{'name':'one',"
            + "'resources':{'claims':[{'name':'a'}]}},{'name':'both',%s},{'name':'none'}]}}";
    try (ScriptedServer server =
            new ScriptedServer(call -> json(200, pod.formatted(both, both).replace('\'', '"')));
        HttpClients http = server.client()) {
      KubePodStore pods = new KubePodStore(http, PODS, bad -> {});
      assertThat(pods.read(POD).orElseThrow().containers())
          .containsExactly(
              new PodFacts.Container("first", 0b11), new PodFacts.Container("both", 0b11));
    }
  }

  @Test
  void aPodWithMoreClaimsThanAnybodyNeedsIsToldAndNotServed()
      throws IOException, ApiUnavailableException {
    List<MalformedObject> told = new ArrayList<>();
    AtomicInteger entries = new AtomicInteger(512);
    try (ScriptedServer server =
            new ScriptedServer(call -> json(200, podWith(entries.getAndIncrement())));
        HttpClients http = server.client()) {
      KubePodStore pods = new KubePodStore(http, PODS, told::add);
      assertThat(pods.read(POD).orElseThrow().claims()).hasSize(512);
      assertThat(told).isEmpty();
      assertThat(pods.read(POD)).isEmpty();
    }
    assertThat(told)
        .extracting(MalformedObject::name, MalformedObject::uid, MalformedObject::problem)
        .containsExactly(
            tuple("p", "uid-1", "spec.resourceClaims has 513 entries, at most 512 are allowed"));
  }

  @Test
  void aPodThatTakesTooMuchMemoryIsToldAndNotServed() throws IOException, ApiUnavailableException {
    List<MalformedObject> told = new ArrayList<>();
    try (ScriptedServer server = new ScriptedServer(call -> json(200, podWith(20_000)));
        HttpClients http = server.client()) {
      assertThat(new KubePodStore(http, PODS, told::add).read(POD)).isEmpty();
    }
    assertThat(told)
        .extracting(MalformedObject::name, MalformedObject::uid, MalformedObject::problem)
        .containsExactly(
            tuple(
                "p",
                "uid-1",
                "what is read of the object would take more than 4194304 bytes of memory"));
  }

  @Test
  void ofThePodsLabelsOnlyThoseOfItsGroupAreRead() throws IOException, ApiUnavailableException {
    String others =
        IntStream.range(0, 50_000)
            .mapToObj("\"label-%d\":\"x\""::formatted)
            .collect(Collectors.joining(","));
    String pod =
        "{\"metadata\":{\"uid\":\"uid-1\",\"creationTimestamp\":\"2026-11-21T10:00:00Z\","
            + "\"labels\":{%s,\"gpu.example.com/group\":\"g\",\"gpu.example.com/group-size\":\"4\"},"
            + "\"annotations\":{%s}},\"spec\":{\"priority\":7}}";
    try (ScriptedServer server =
            new ScriptedServer(call -> json(200, pod.formatted(others, others)));
        HttpClients http = server.client()) {
      PodFacts read = new KubePodStore(http, PODS, bad -> {}).read(POD).orElseThrow();
      assertThat(read.group())
          .hasValue(new GroupLabel(GroupLabel.Kind.OWN, "g", "4", /* disputed= */ false));
      assertThat(read.rank()).isEqualTo(new WaitRank(7, Instant.parse("2026-11-21T10:00:00Z")));
    }
  }

  private static String podWith(int entries) {
    return "{\"metadata\":{\"uid\":\"uid-1\"},\"spec\":{\"resourceClaims\":[%s]}}"
        .formatted(
            IntStream.range(0, entries)
                .mapToObj("{\"name\":\"c%d\",\"source\":{\"resourceClaimName\":\"c\"}}"::formatted)
                .collect(Collectors.joining(",")));
  }

  @Test
  void ofTheOwnersOfAClaimOnlyNameUidAndRoleAreRead() throws IOException {
    String owner = "{'apiVersion':'v1','kind':'Pod','name':'p','uid':'u','controller':true}";
    String claim = "{'metadata':{'name':'c','uid':'uid-1','ownerReferences':[%s,%s]}}";
    try (ScriptedServer server =
            new ScriptedServer(
                call -> json(200, claim.formatted(owner, owner).replace('\'', '"')));
        HttpClients http = server.client()) {
      V1alpha2ResourceClaim read =
          new LiveObjects<>(http, ResourceKinds.claims(Function.identity()), bad -> {})
              .get(
                  new ResourceV1alpha2Api(http.api()).readNamespacedResourceClaim("c", "ns")
                      ::buildCall)
              .orElseThrow()
              .value();
      V1OwnerReference expected = new V1OwnerReference().name("p").uid("u").controller(true);
      assertThat(read.getMetadata().getOwnerReferences()).containsExactly(expected, expected);
    }
  }

  @Test
  void knowsAClassWhoseClaimsTheSchedulerAllocates() {
    V1alpha2ResourceClass structured =
        LenientJson.gson()
            .fromJson(
                "{\"metadata\":{\"name\":\"gpu\"},\"driverName\":\"d\",\"structuredParameters\":true}",
                V1alpha2ResourceClass.class);
    assertThat(ClassMapping.facts(structured).structured()).isTrue();
  }

  @Test
  void readsAClassAndFindsItByItsParametersInEitherSpelling() {
    ClassFacts facts =
        ClassMapping.facts(
            LenientJson.gson()
                .fromJson(
                    "{\"metadata\":{\"name\":\"gpu\"},\"driverName\":\"d\",\"parametersRef\":{"
                        + "\"apiGroup\":\"g/v1\",\"kind\":\"K\",\"name\":\"x\"},\"suitableNodes\":{"
                        + "\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"zone\","
                        + "\"operator\":\"NotIn\",\"values\":[\"a\"]}]}]}}",
                    V1alpha2ResourceClass.class));
    assertThat(facts.driverName()).isEqualTo("d");
    assertThat(facts.structured()).isFalse();
    ObjectCache<ClassFacts> cache = new ObjectCache<>();
    cache.put(new Kept<>("gpu", "u", "1", facts));
    KubeClassStore classes = new KubeClassStore(cache);
    assertThat(classes.get("gpu")).hasValue(facts);
    assertThat(classes.ofParameters(new ParametersRef("g", "K", Optional.empty(), "x")))
        .containsExactly("gpu");
    assertThat(classes.ofParameters(new ParametersRef("g", "K", Optional.empty(), "y"))).isEmpty();
    NodeState node =
        NodeMapping.state(
            LenientJson.gson()
                .fromJson(
                    "{\"metadata\":{\"name\":\"w1\",\"labels\":{\"zone\":\"b\"}},\"spec\":{"
                        + "\"unschedulable\":true,\"taints\":[{\"key\":\"a\",\"effect\":"
                        + "\"NoSchedule\"},{\"key\":\"b\",\"effect\":\"PreferNoSchedule\"}]},"
                        + "\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}",
                    V1Node.class));
    assertThat(node.ready()).isTrue();
    assertThat(node.cordoned()).isTrue();
    assertThat(node.repellingTaints()).containsExactly("a");
    assertThat(facts.suitableNodes().orElseThrow().matches(node)).isTrue();
  }
}
