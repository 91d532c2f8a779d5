package io.gpudra.simulator.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** All kinds: testing.md 5, rows 10, 15, 16, 18, 19, 21, 22 and what a DELETE answers. */
class ObjectConformanceTest extends ConformanceCase {

  @Test
  void refusalsSayWhatARealServerSays() {
    Client.Answer missing = client.get(claims + "/x");
    assertThat(missing.code()).isEqualTo(404);
    assertThat(missing.message()).isEqualTo("resourceclaims.resource.k8s.io \"x\" not found");
    assertThat(missing.at("details.kind")).isEqualTo("resourceclaims");
    client.post(claims, claim("a"));
    Client.Answer twice = client.post(claims, claim("a"));
    assertThat(twice.code()).isEqualTo(409);
    assertThat(twice.at("reason")).isEqualTo("AlreadyExists");
    Client.Answer precondition =
        client.send(
            "DELETE", claims + "/a", "application/json", json("{'preconditions':{'uid':'x'}}"));
    assertThat(precondition.code()).isEqualTo(409);
    assertThat(precondition.at("details.kind")).isEqualTo("ResourceClaim");
    Client.Answer unknown = client.get("/apis/nothing.example.com/v1/things");
    assertThat(unknown.code()).isEqualTo(404);
    assertThat(unknown.text()).isEqualTo("404 page not found\n");
  }

  @Test
  void bodiesMustAgreeWithTheUrl() {
    ObjectNode made = (ObjectNode) client.post(claims, claim("a")).json();
    assertThat(client.post(claims, made.toString()).code()).as("rv on create").isEqualTo(500);
    assertThat(client.put(claims + "/b", made).code()).as("other name").isEqualTo(400);
    String elsewhere = claims.replace(ns, "default");
    assertThat(client.put(elsewhere + "/a", made).code()).as("other namespace").isEqualTo(400);
    assertThat(client.put(contexts + "/a", made).code()).as("other kind").isEqualTo(400);
    made.withObjectProperty("metadata").remove("resourceVersion");
    assertThat(client.put(claims + "/a", made).code()).as("unconditional").isEqualTo(200);
    made.withObjectProperty("metadata").put("uid", "other");
    assertThat(client.put(claims + "/a", made).code()).as("other uid").isEqualTo(409);
  }

  @Test
  void unchangedContentKeepsTheRevision() {
    Client.Answer made = client.post(claims, claim("a"));
    assertThat(client.put(claims + "/a", made.json()).rv()).isEqualTo(made.rv());
    assertThat(client.merge(claims + "/a", "{}").rv()).isEqualTo(made.rv());
  }

  @Test
  void leasesAreCreatedByPutAndTheirTimesHaveSixDecimals() {
    String leases = "/apis/coordination.k8s.io/v1/namespaces/" + ns + "/leases";
    String good = "{'spec':{'leaseDurationSeconds':15,'renewTime':'2026-01-01T00:00:00.000000Z'}}";
    Client.Answer made = client.put(leases + "/l", named("l", json(good)));
    assertThat(made.code()).isEqualTo(201);
    assertThat(client.put(leases + "/l", named("l", json(good))).code()).isEqualTo(422);
    assertThat(client.post(leases, named("m", json(good.replace(".000000", "")))).code())
        .isEqualTo(400);
    String patch = json("{'spec':{'renewTime':'2026-01-01T00:00:00Z'}}");
    assertThat(client.merge(leases + "/l", patch).code()).isEqualTo(422);
    Client.Answer zero =
        client.post(leases, named("z", json("{'spec':{'leaseDurationSeconds':0}}")));
    assertThat(zero.message())
        .contains("spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0");
    assertThat(client.put("/api/v1/nodes/none", named("none", "{}")).code()).isEqualTo(404);
  }

  @Test
  void contentTypesAreNegotiated() {
    assertThat(client.send("GET", claims, "", "", "text/plain").code()).isEqualTo(406);
    assertThat(
            client
                .send(
                    "POST",
                    claims,
                    "application/yaml",
                    "metadata: {name: claim}\nspec: {resourceClassName: g}")
                .code())
        .isEqualTo(201);
    Client.Answer partial =
        client.send(
            "GET",
            claims + "/claim",
            "",
            "",
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    assertThat(partial.json().has("spec")).isFalse();
    Client.Answer table =
        client.send("GET", claims, "", "", "application/json;as=Table;v=v1;g=meta.k8s.io");
    assertThat(table.json().at("/rows/0/cells/0").asText()).isEqualTo("claim");
    assertThat(table.json().at("/rows/0/cells/3").asText()).isEqualTo("pending");
  }

  @Test
  void unknownFieldsWarnOrAreRefused() {
    String body = named("a", json("{'spec':{'resourceClassName':'g','cuont':1}}"));
    Client.Answer strict = client.post(claims + "?fieldValidation=Strict", body);
    assertThat(strict.code()).isEqualTo(400);
    assertThat(strict.message()).endsWith("strict decoding error: unknown field \"spec.cuont\"");
    Client.Answer warned = client.post(claims, body);
    assertThat(warned.code()).isEqualTo(201);
    assertThat(warned.warnings()).containsExactly("299 - \"unknown field \\\"spec.cuont\\\"\"");
    assertThat(warned.json().path("spec").has("cuont")).isFalse();
    Client.Answer ignored =
        client.post(claims + "?fieldValidation=Ignore", body.replace("\"a\"", "\"b\""));
    assertThat(ignored.warnings()).isEmpty();
  }

  @Test
  void aBoundPodStaysUntilItsGraceIsOverAndAnUnboundOneGoesAtOnce() {
    String pods = "/api/v1/namespaces/" + ns + "/pods";
    String pod = json("{'spec':{'schedulerName':'none','containers':[{'name':'c','image':'i'}]}}");
    client.post(pods, named("bound", pod));
    client.post(pods, named("free", pod));
    String target = json("{'metadata':{'name':'bound'},'target':{'name':'node'}}");
    Client.Answer bound = client.post(pods + "/bound/binding", target);
    assertThat(bound.code()).isEqualTo(201);
    assertThat(bound.at("kind")).isEqualTo("Status");
    assertThat(client.post(pods + "/bound/binding", target).code()).isEqualTo(409);
    Client.Answer deleting = client.delete(pods + "/bound");
    assertThat(deleting.json().at("/metadata/deletionGracePeriodSeconds").asInt()).isEqualTo(30);
    assertThat(client.get(pods + "/bound").code()).isEqualTo(200);
    client.delete(pods + "/bound?gracePeriodSeconds=0");
    assertThat(client.get(pods + "/bound").code()).isEqualTo(404);
    assertThat(client.delete(pods + "/free").at("kind")).isEqualTo("Pod");
    assertThat(client.get(pods + "/free").code()).isEqualTo(404);
    Client.Answer bad =
        client.post(
            pods,
            named(
                "x",
                json(
                    "{'spec':{'containers':[{'name':'c','resources':{'claims':[{'name':'g'}]}}]}}")));
    assertThat(bad.message()).contains("spec.containers[0].resources.claims[0]: Not found: \"g\"");
  }

  @Test
  void aDeleteAnswersTheObjectOrAStatusByKind() {
    String maps = "/api/v1/namespaces/" + ns + "/configmaps";
    client.post(maps, named("m", "{}"));
    Client.Answer status = client.delete(maps + "/m");
    assertThat(status.at("kind")).isEqualTo("Status");
    assertThat(status.at("status")).isEqualTo("Success");
    assertThat(status.at("details.kind")).isEqualTo("configmaps");
    assertThat(status.at("details.uid")).isNotEmpty();
    client.post(claims, claim("a"));
    client.post(claims, claim("b"));
    Client.Answer all = client.delete(claims);
    assertThat(all.at("kind")).isEqualTo("ResourceClaimList");
    assertThat(all.json().path("items")).hasSize(2);
    assertThat(client.get(claims).json().path("items")).isEmpty();
  }

  @Test
  void aTerminatingNamespaceTakesNothingNewAndEndsWhenEmpty() {
    client.post(claims, claim("a"));
    client.merge(claims + "/a", json("{'metadata':{'finalizers':['a.b/c']}}"));
    Client.Answer deleting = client.delete("/api/v1/namespaces/" + ns);
    assertThat(deleting.at("status.phase")).isEqualTo("Terminating");
    Client.Answer refused = client.post(claims, claim("b"));
    assertThat(refused.code()).isEqualTo(403);
    assertThat(refused.json().at("/details/causes/0/reason").asText())
        .isEqualTo("NamespaceTerminating");
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> !client.get(claims + "/a").at("metadata.deletionTimestamp").isEmpty());
    client.merge(claims + "/a", json("{'metadata':{'finalizers':null}}"));
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> client.get("/api/v1/namespaces/" + ns).code() == 404);
    assertThat(client.post(claims, claim("b")).code()).isEqualTo(404);
  }

  @Test
  void jsonPatchesTestAndChange() {
    client.post(claims, claim("a"));
    String type = "application/json-patch+json";
    Client.Answer done =
        client.patch(
            type,
            claims + "/a",
            json("[{'op':'add','path':'/metadata/labels','value':{'k':'v'}}]"));
    assertThat(done.at("metadata.labels.k")).isEqualTo("v");
    Client.Answer failed =
        client.patch(
            type, claims + "/a", json("[{'op':'test','path':'/metadata/labels/k','value':'x'}]"));
    assertThat(failed.code()).isEqualTo(422);
    String stale = json("{'metadata':{'resourceVersion':'1','labels':{'k':'w'}}}");
    assertThat(client.merge(claims + "/a", stale).code()).isEqualTo(409);
  }

  @Test
  void eventsAreFoundByWhatTheyAreAbout() {
    String events = "/api/v1/namespaces/" + ns + "/events";
    String about =
        "{'involvedObject':{'kind':'Pod','name':'p','namespace':'" + ns + "'},'reason':'R'}";
    assertThat(client.post(events, named("e", json(about))).code()).isEqualTo(201);
    String query = "?fieldSelector=involvedObject.name%3Dp%2CinvolvedObject.kind%3DPod";
    assertThat(client.get(events + query).json().path("items")).hasSize(1);
    assertThat(client.get(events + query.replace("%3Dp%2C", "%3Dq%2C")).json().path("items"))
        .isEmpty();
    Client.Answer elsewhere =
        client.post(events, named("f", json("{'involvedObject':{'namespace':'other'}}")));
    assertThat(elsewhere.message()).contains("does not match event.namespace");
  }
}
