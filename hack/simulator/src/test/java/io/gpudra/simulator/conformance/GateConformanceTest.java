package io.gpudra.simulator.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.simulator.api.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Scheduling gates of pods that no scheduler serves: testing.md 5, row 25. */
class GateConformanceTest extends ConformanceCase {
  private static final String STRATEGIC = "application/strategic-merge-patch+json";

  private final String pods = "/api/v1/namespaces/" + ns + "/pods";

  /** A pod with these gates and more in its spec. */
  private Client.Answer make(String name, String more, String... gates) {
    List<String> all = List.of(gates).stream().map("{'name':'%s'}"::formatted).toList();
    String spec =
        "{'spec':{'schedulerName':'none','containers':[{'name':'c','image':'i'}]%s,"
            + "'schedulingGates':[%s]}}";
    return client.post(pods, named(name, json(spec.formatted(more, String.join(",", all)))));
  }

  private Client.Answer patch(Client.Answer pod, String spec) {
    String body = "{'metadata':{'uid':'%s'},'spec':%s}";
    return client.patch(
        STRATEGIC,
        pods + "/" + pod.at("metadata.name"),
        json(body.formatted(pod.at("metadata.uid"), spec)));
  }

  private static String without(String gate) {
    return "{'schedulingGates':[{'name':'%s','$patch':'delete'}]}".formatted(gate);
  }

  @Test
  void aGatedPodSaysSoFromTheBeginning() {
    JsonNode conditions = Json.at(make("p", "", "a.b/c").json(), "status.conditions");

    assertThat(conditions).hasSize(1);
    assertThat(Json.text(conditions.path(0), "type")).isEqualTo("PodScheduled");
    assertThat(Json.text(conditions.path(0), "status")).isEqualTo("False");
    assertThat(Json.text(conditions.path(0), "reason")).isEqualTo("SchedulingGated");
  }

  @Test
  void claimsAreMadeForAGatedPod() {
    String template = "{'spec':{'spec':{'resourceClassName':'" + ns + "'}}}";
    client.post(DRA + "namespaces/" + ns + "/resourceclaimtemplates", named("t", json(template)));
    make(
        "p",
        ",'resourceClaims':[{'name':'r','source':{'resourceClaimTemplateName':'t'}}]",
        "a.b/c");

    await()
        .atMost(LONG)
        .until(() -> client.get(pods + "/p").text().contains("\"resourceClaimName\""));
    assertThat(client.get(claims).json().path("items")).hasSize(1);
  }

  @Test
  void oneGateGoesByAStrategicPatchAndTheOthersStay() {
    Client.Answer made = make("p", "", "a.b/c", "x.y/z");
    Client.Answer one = patch(made, without("a.b/c"));
    assertThat(one.code()).isEqualTo(200);
    assertThat(Json.at(one.json(), "spec.schedulingGates")).hasSize(1);
    assertThat(one.at("metadata.resourceVersion")).isNotEqualTo(made.rv());
    Client.Answer again = patch(made, without("a.b/c"));
    assertThat(again.code()).isEqualTo(200);
    assertThat(again.rv()).as("nothing changes").isEqualTo(one.rv());
    Client.Answer last = patch(made, without("x.y/z"));
    assertThat(last.json().path("spec").has("schedulingGates")).isFalse();
    assertThat(last.text()).as("until a scheduler says otherwise").contains("SchedulingGated");
  }

  @Test
  void aGateOfAnotherPodOfTheNameStays() {
    make("p", "", "a.b/c");
    String body = "{'metadata':{'uid':'former'},'spec':%s}".formatted(without("a.b/c"));
    Client.Answer refused = client.patch(STRATEGIC, pods + "/p", json(body));

    assertThat(refused.code()).isEqualTo(422);
    assertThat(refused.json().at("/details/causes/0/field").asText()).isEqualTo("metadata.uid");
    assertThat(client.patch(STRATEGIC, pods + "/gone", json(body)).code()).isEqualTo(404);
  }

  @Test
  void noGateComesLaterAndNoneComesTwice() {
    Client.Answer made = make("p", "", "a.b/c");
    Client.Answer refused = patch(made, "{'schedulingGates':[{'name':'x.y/z'}]}");
    assertThat(refused.code()).isEqualTo(422);
    assertThat(refused.message())
        .contains("Forbidden: only deletion is allowed, but found new scheduling gate 'x.y/z'");
    Client.Answer twice = make("q", "", "a.b/c", "a.b/c");
    assertThat(twice.code()).isEqualTo(422);
    assertThat(twice.message()).contains("spec.schedulingGates[1]: Duplicate value");
  }

  @Test
  void aPodMaySelectFewerNodesWhileItIsGated() {
    Client.Answer made = make("p", ",'nodeSelector':{'a':'b'}", "a.b/c");
    assertThat(patch(made, "{'nodeSelector':{'c':'d'}}").code()).isEqualTo(200);
    assertThat(patch(made, "{'nodeSelector':{'a':'x'}}").message())
        .contains("only additions to spec.nodeSelector are allowed (no mutations or deletions)");
    patch(made, without("a.b/c"));
    assertThat(patch(made, "{'nodeSelector':{'e':'f'}}").message())
        .contains("Forbidden: pod updates may not change fields other than");
  }

  @Test
  void aGatedPodIsNotBound() {
    Client.Answer made = make("p", "", "a.b/c");
    assertThat(bind("p").code()).isEqualTo(409);
    patch(made, without("a.b/c"));
    assertThat(bind("p").code()).isEqualTo(201);
  }

  private Client.Answer bind(String pod) {
    return client.post(
        pods + "/" + pod + "/binding",
        named(pod, json("{'target':{'kind':'Node','name':'" + ns + "'}}")));
  }

  @Test
  void aPodThatIsBoundLeavesThoseWithoutANode() throws Exception {
    Client.Answer made = make("p", "", "a.b/c");
    patch(made, without("a.b/c"));
    String selector = "?watch=1&fieldSelector=spec.nodeName%3D,status.phase%3DPending";
    try (Client.Events events =
        client.watch(pods + selector + "&resourceVersion=" + client.get(pods).rv())) {
      bind("p");
      JsonNode left = events.next();
      assertThat(left.path("type").asText()).isEqualTo("DELETED");
      assertThat(Json.text(left, "object.metadata.name")).isEqualTo("p");
    }
    assertThat(client.get(pods + selector.replace("watch=1&", "")).json().path("items")).isEmpty();
  }
}
