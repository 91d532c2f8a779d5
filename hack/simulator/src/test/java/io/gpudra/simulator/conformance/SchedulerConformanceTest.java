package io.gpudra.simulator.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Json;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What scheduler and claim controller write, in which order, on hand-made nodes and with the test
 * as the driver.
 */
class SchedulerConformanceTest extends ConformanceCase {
  private static final List<String> NODES = List.of("a", "b");

  private final String core = "/api/v1/namespaces/" + ns;
  private String start = "";

  @BeforeEach
  void makeNodesAndClass() {
    for (String node : NODES) {
      String status =
          "'status':{'allocatable':{'pods':'110'},'conditions':[{'type':'Ready','status':'True'}]}";
      String meta = "'metadata':{'name':'" + node(node) + "','labels':{'of':'" + ns + "'}}";
      assertThat(client.post("/api/v1/nodes", json("{" + meta + "," + status + "}")).code())
          .isEqualTo(201);
    }
    client.post(DRA + "resourceclasses", named(ns, json("{'driverName':'gpu.example.com'}")));
    start = client.get(claims).rv();
  }

  @AfterEach
  void removeNodesAndClass() {
    NODES.forEach(node -> client.delete("/api/v1/nodes/" + node(node)));
    client.delete(DRA + "resourceclasses/" + ns);
  }

  private String node(String name) {
    return ns + "-" + name;
  }

  private void makeClaim(String name, String mode) {
    String spec = "{'spec':{'resourceClassName':'" + ns + "','allocationMode':'" + mode + "'}}";
    assertThat(client.post(claims, named(name, json(spec))).code()).isEqualTo(201);
  }

  /** A pod for our nodes; each source is a name of a claim, or of a template after a {@code t:}. */
  private void makePod(String name, String... sources) {
    post(podOf(name, sources));
  }

  private Client.Answer post(ObjectNode pod) {
    Client.Answer made = client.post(core + "/pods", pod.toString());
    assertThat(made.code()).isEqualTo(201);
    return made;
  }

  private ObjectNode podOf(String name, String... sources) {
    ObjectNode pod =
        Json.parse(named(name, json("{'spec':{'tolerations':[{'operator':'Exists'}]}}")));
    ObjectNode spec = pod.withObjectProperty("spec");
    spec.putObject("nodeSelector").put("of", ns);
    ObjectNode container =
        spec.putArray("containers").addObject().put("name", "c").put("image", "i");
    for (int i = 0; i < sources.length; i++) {
      boolean template = sources[i].startsWith("t:");
      ObjectNode entry = spec.withArrayProperty("resourceClaims").addObject().put("name", "r" + i);
      entry
          .putObject("source")
          .put(
              template ? "resourceClaimTemplateName" : "resourceClaimName",
              sources[i].replaceFirst("^t:", ""));
      container
          .withObject("/resources")
          .withArrayProperty("claims")
          .addObject()
          .put("name", "r" + i);
    }
    return pod;
  }

  private Client.Answer pod(String name) {
    return client.get(core + "/pods/" + name);
  }

  private String awaitSelected(String pod) {
    await().atMost(LONG).until(() -> !selected(pod).isEmpty());
    return selected(pod);
  }

  private String selected(String pod) {
    return client.get(contexts + "/" + pod).at("spec.selectedNode");
  }

  private void awaitEnd(String pod) {
    await().atMost(LONG).until(() -> !pod(pod).at("spec.nodeName").isEmpty());
    await().atMost(LONG).until(() -> client.get(contexts + "/" + pod).code() == 404);
  }

  private void awaitRefusal(String pod) {
    await().atMost(LONG).until(() -> pod(pod).text().contains("\"PodScheduled\""));
  }

  /** What a driver does. */
  private void allocate(String claim, String node) {
    allocate(claim, node, "'deallocationRequested':null");
  }

  private void allocate(String claim, String node, String more) {
    client.merge(claims + "/" + claim, json("{'metadata':{'finalizers':['gpu.example.com/x']}}"));
    String terms =
        "{'nodeSelectorTerms':[{'matchFields':[{'key':'metadata.name','operator':'In','values':['"
            + node
            + "']}]}]}";
    String allocation = "{'shareable':true,'availableOnNodes':" + terms + "}";
    assertThat(
            status(
                    claim,
                    "{'driverName':'gpu.example.com','allocation':" + allocation + "," + more + "}")
                .code())
        .isEqualTo(200);
  }

  private void release(String claim) {
    String none = "{'driverName':null,'allocation':null,'deallocationRequested':null}";
    assertThat(status(claim, none).code()).isEqualTo(200);
  }

  private void inform(String pod, String... entries) {
    String body = "{'status':{'resourceClaims':[" + String.join(",", entries) + "]}}";
    assertThat(client.merge(contexts + "/" + pod + "/status", json(body)).code()).isEqualTo(200);
  }

  private String unsuitable(String entry, String... nodes) {
    String list = List.of(nodes).stream().map(n -> "'" + node(n) + "'").toList().toString();
    return "{'name':'" + entry + "','unsuitableNodes':" + list + "}";
  }

  /** All writes since the nodes were made, oldest first; not those that show nothing new. */
  private List<String> writes() {
    List<JsonNode> all =
        Stream.of(core + "/pods", claims, contexts)
            .parallel()
            .flatMap(path -> events(path).stream())
            .toList();
    Map<String, String> last = new HashMap<>();
    return all.stream()
        .sorted(Comparator.comparingLong(SchedulerConformanceTest::revision))
        .filter(event -> isNews(event, last))
        .map(SchedulerConformanceTest::told)
        .toList();
  }

  private static boolean isNews(JsonNode event, Map<String, String> last) {
    String state = state(event.path("object"));
    String before = last.put(Json.text(event, "object.metadata.uid"), state);
    return !event.path("type").asText().equals("MODIFIED") || !state.equals(before);
  }

  private List<JsonNode> events(String path) {
    String query = "?watch=1&timeoutSeconds=1&resourceVersion=" + start;
    return Exchange.values(client.get(path + query).text());
  }

  /** The first thing that the scheduler said of the pod. */
  private String refusal() {
    return events(core + "/pods").stream()
        .map(event -> Json.at(event, "object.status.conditions"))
        .map(conditions -> Json.text(Json.find(conditions, "type", "PodScheduled"), "message"))
        .filter(message -> !message.isEmpty())
        .findFirst()
        .orElse("");
  }

  private static long revision(JsonNode event) {
    return Json.at(event, "object.metadata.resourceVersion").asLong();
  }

  private static String told(JsonNode event) {
    return event.path("type").asText() + " " + state(event.path("object"));
  }

  private static String state(JsonNode object) {
    return switch (Json.text(object, "kind")) {
      case "Pod" -> "pod" + toldPod(object);
      case "ResourceClaim" -> "claim" + toldClaim(object);
      default -> "context" + toldContext(object);
    };
  }

  private static String toldPod(JsonNode pod) {
    JsonNode scheduled = Json.find(Json.at(pod, "status.conditions"), "type", "PodScheduled");
    return when(!Json.at(pod, "status.resourceClaimStatuses").isEmpty(), " with a claim")
        + when(Json.text(scheduled, "reason").equals("Unschedulable"), " refused")
        + when(!Json.text(pod, "spec.nodeName").isEmpty(), " bound");
  }

  private static String toldClaim(JsonNode claim) {
    return when(Json.at(claim, "status.allocation").isObject(), " allocated")
        + when(!Json.at(claim, "status.reservedFor").isEmpty(), " reserved")
        + when(Json.at(claim, "status.deallocationRequested").asBoolean(), " to be deallocated");
  }

  private static String toldContext(JsonNode context) {
    return " with "
        + Json.at(context, "spec.potentialNodes").size()
        + " nodes"
        + when(!Json.text(context, "spec.selectedNode").isEmpty(), ", one selected")
        + when(!Json.at(context, "status.resourceClaims").isEmpty(), ", informed");
  }

  private static String when(boolean condition, String text) {
    return condition ? text : "";
  }

  @Test
  void aDelayedClaimIsSelectedForInTheFirstWrite() {
    makeClaim("c", "WaitForFirstConsumer");
    makePod("p", "c");
    String node = awaitSelected("p");
    awaitRefusal("p");
    allocate("c", node);
    awaitEnd("p");
    assertThat(pod("p").at("spec.nodeName")).isEqualTo(node);
    assertThat(refusal()).isEqualTo("waiting for resource driver");
    assertThat(writes())
        .containsExactly(
            "ADDED claim",
            "ADDED pod",
            "ADDED context with 2 nodes, one selected",
            "MODIFIED pod refused",
            "MODIFIED claim allocated",
            "MODIFIED claim allocated reserved",
            "MODIFIED pod bound",
            "DELETED context with 2 nodes, one selected");
  }

  @Test
  void aGatedPodWhoseClaimIsAllocatedIsBoundAtOnceWithoutAContext() {
    makeClaim("c", "WaitForFirstConsumer");
    ObjectNode pod = podOf("p", "c");
    pod.withObject("/spec").putArray("schedulingGates").addObject().put("name", "a.b/granted");
    String uid = post(pod).at("metadata.uid");
    String consumer = "'reservedFor':[{'resource':'pods','name':'p','uid':'" + uid + "'}]";
    allocate("c", node("a"), consumer);
    String gate = "{'name':'a.b/granted','$patch':'delete'}";
    String lift = "{'metadata':{'uid':'" + uid + "'},'spec':{'schedulingGates':[" + gate + "]}}";
    client.patch("application/strategic-merge-patch+json", core + "/pods/p", json(lift));
    awaitEnd("p");
    assertThat(pod("p").at("spec.nodeName")).isEqualTo(node("a"));
    assertThat(writes())
        .containsExactly(
            "ADDED claim", "ADDED pod", "MODIFIED claim allocated reserved", "MODIFIED pod bound");
  }

  @Test
  void withTwoClaimsTheDriverIsAskedFirst() {
    makeClaim("c", "WaitForFirstConsumer");
    makeClaim("d", "WaitForFirstConsumer");
    makePod("p", "c", "d");
    await().atMost(LONG).until(() -> client.get(contexts + "/p").code() == 200);
    awaitRefusal("p");
    inform("p", unsuitable("r0", "a"), unsuitable("r1"));
    assertThat(awaitSelected("p")).isEqualTo(node("b"));
    allocate("c", node("b"));
    allocate("d", node("b"));
    awaitEnd("p");
    assertThat(refusal()).isEqualTo("waiting for resource driver");
    assertThat(writes())
        .containsExactly(
            "ADDED claim",
            "ADDED claim",
            "ADDED pod",
            "ADDED context with 2 nodes",
            "MODIFIED pod refused",
            "MODIFIED context with 2 nodes, informed",
            "MODIFIED context with 2 nodes, one selected, informed",
            "MODIFIED claim allocated",
            "MODIFIED claim allocated",
            "MODIFIED claim allocated reserved",
            "MODIFIED claim allocated reserved",
            "MODIFIED pod bound",
            "DELETED context with 2 nodes, one selected, informed");
  }

  @Test
  void anImmediateClaimIsWaitedForWithoutAContext() {
    makeClaim("c", "Immediate");
    makePod("p", "c");
    awaitRefusal("p");
    allocate("c", node("a"));
    awaitEnd("p");
    assertThat(pod("p").at("spec.nodeName")).isEqualTo(node("a"));
    assertThat(refusal())
        .isEqualTo(
            "0/2 nodes are available: unallocated immediate resourceclaim. no new claims to"
                + " deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for"
                + " scheduling.");
    assertThat(writes())
        .containsExactly(
            "ADDED claim",
            "ADDED pod",
            "MODIFIED pod refused",
            "MODIFIED claim allocated",
            "MODIFIED claim allocated reserved",
            "MODIFIED pod bound");
  }

  @Test
  void aClaimThatIsAllocatedInTheWrongPlaceIsGivenBack() {
    makeClaim("c", "WaitForFirstConsumer");
    allocate("c", "elsewhere");
    makePod("p", "c");
    await()
        .atMost(LONG)
        .until(() -> client.get(claims + "/c").at("status.deallocationRequested").equals("true"));
    awaitRefusal("p");
    release("c");
    allocate("c", awaitSelected("p"));
    awaitEnd("p");
    assertThat(refusal())
        .isEqualTo(
            "0/2 nodes are available: 2 resourceclaim not available on the node. deallocation of"
                + " ResourceClaim completed, preemption: 0/2 nodes are available: 2 Preemption is not"
                + " helpful for scheduling.");
    assertThat(writes())
        .containsExactly(
            "ADDED claim",
            "MODIFIED claim allocated",
            "ADDED pod",
            "MODIFIED claim allocated to be deallocated",
            "MODIFIED pod refused",
            "MODIFIED claim",
            "ADDED context with 2 nodes, one selected",
            "MODIFIED claim allocated",
            "MODIFIED claim allocated reserved",
            "MODIFIED pod bound",
            "DELETED context with 2 nodes, one selected");
  }

  @Test
  void aClaimOfATemplateComesAndGoesWithItsPod() {
    String template = "{'spec':{'spec':{'resourceClassName':'" + ns + "'}}}";
    client.post(DRA + "namespaces/" + ns + "/resourceclaimtemplates", named("t", json(template)));
    makePod("p", "t:t");
    String node = awaitSelected("p");
    awaitRefusal("p");
    JsonNode statuses = Json.at(pod("p").json(), "status.resourceClaimStatuses");
    String claim = claims + "/" + Json.text(statuses.path(0), "resourceClaimName");
    allocate(claim.substring(claims.length() + 1), node);
    awaitEnd("p");
    assertThat(writes())
        .containsExactly(
            "ADDED pod",
            "ADDED claim",
            "MODIFIED pod with a claim",
            "ADDED context with 2 nodes, one selected",
            "MODIFIED pod with a claim refused",
            "MODIFIED claim allocated",
            "MODIFIED claim allocated reserved",
            "MODIFIED pod with a claim bound",
            "DELETED context with 2 nodes, one selected");
    client.delete(core + "/pods/p?gracePeriodSeconds=0");
    await().atMost(LONG).until(() -> !client.get(claim).at("metadata.deletionTimestamp").isEmpty());
    await()
        .atMost(LONG)
        .until(() -> Json.at(client.get(claim).json(), "status.reservedFor").isMissingNode());
    assertThat(client.get(claim).at("status.deallocationRequested")).isEqualTo("true");
  }
}
