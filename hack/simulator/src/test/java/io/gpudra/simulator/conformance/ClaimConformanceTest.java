package io.gpudra.simulator.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** ResourceClaims as a real 1.30.14 treats them: testing.md 5, rows 1, 2, 3, 4, 8. */
class ClaimConformanceTest extends ConformanceCase {
  private static final String STRATEGIC = "application/strategic-merge-patch+json";
  private static final String ONE =
      "{'driverName':'gpu.example.com','allocation':{'resourceHandles':[{'driverName':'gpu.example.com','data':'x'}]},"
          + "'reservedFor':[{'resource':'things','name':'p','uid':'u1'}]}";

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "U1 | {} | {'reservedFor':[{'resource':'things','name':'p','uid':'u'}]} |"
            + " status.reservedFor | Forbidden: may not be specified when `allocated` is not set",
        "U2 not shareable | ONE |"
            + " {'reservedFor':[{'resource':'things','name':'p','uid':'u1'},{'resource':'things','name':'q','uid':'u2'}]}"
            + " | status.reservedFor | Forbidden: may not be reserved more than once",
        "U2 twice | {'driverName':'d','allocation':{'shareable':true}} |"
            + " {'reservedFor':[{'resource':'things','name':'p','uid':'u1'},{'resource':'things','name':'q','uid':'u1'}]}"
            + " | status.reservedFor[1].uid | Duplicate value: \"u1\"",
        "U3 | {'driverName':'d','allocation':{'shareable':true},'deallocationRequested':true} |"
            + " {'reservedFor':[{'resource':'things','name':'p','uid':'u1'}]} | status.reservedFor"
            + " | Forbidden: new entries may not be added while `deallocationRequested` or"
            + " `deletionTimestamp` are set",
        "U5 | ONE | {'deallocationRequested':true} | status.deallocationRequested |"
            + " Forbidden: deallocation cannot be requested while `reservedFor` is set",
        "U6 | {} | {'deallocationRequested':true} | status |"
            + " Forbidden: `allocation` must be set when `deallocationRequested` is set",
        "U7 | {'driverName':'d','allocation':{},'deallocationRequested':true} |"
            + " {'deallocationRequested':false} | status.deallocationRequested | Forbidden: may not"
            + " be cleared when `allocation` is set",
        "U8 | {} | {'allocation':{}} | status.driverName |"
            + " Required value: must be specified when `allocation` is set",
        "name | {} | {'driverName':'a_b'} | status.driverName | Invalid value: \"a_b\"",
        "handle | {} | {'driverName':'d','allocation':{'resourceHandles':[{'data':'x'}]}} |"
            + " status.allocation.resourceHandles[0].driverName | Required value",
        "nodes | {} | {'driverName':'d','allocation':{'availableOnNodes':{'nodeSelectorTerms':[]}}}"
            + " | status.allocation.availableOnNodes.nodeSelectorTerms | Required value: must have"
            + " at least one node selector term",
        "field | {} |"
            + " {'driverName':'d','allocation':{'availableOnNodes':{'nodeSelectorTerms':[{'matchFields':[{'key':'metadata.name','operator':'In','values':['a','b']}]}]}}}"
            + " | status.allocation.availableOnNodes.nodeSelectorTerms[0].matchFields[0].values |"
            + " Required value: must be only one value",
      })
  void statusRulesAreEnforcedOnEveryStatusWrite(
      String rule, String before, String patch, String field, String text) {
    assertThat(claimWith("c", before.equals("ONE") ? ONE : before).code()).isEqualTo(200);
    Client.Answer answer = status("c", patch);
    assertThat(answer.code()).isEqualTo(422);
    assertThat(answer.at("details.kind")).isEqualTo("ResourceClaim");
    assertThat(answer.json().at("/details/causes/0/field").asText()).isEqualTo(field);
    assertThat(answer.json().at("/details/causes/0/message").asText()).startsWith(text);
    assertThat(answer.message())
        .startsWith("ResourceClaim.resource.k8s.io \"c\" is invalid: ")
        .contains(field + ": " + text);
  }

  @Test
  void anAllocationIsImmutableWhileTheDriverNameIsNot() {
    claimWith("c", ONE);
    Client.Answer other = status("c", "{'allocation':{'shareable':true}}");
    assertThat(other.message())
        .contains("status.allocation: Invalid value")
        .endsWith("field is immutable");
    assertThat(status("c", "{'driverName':'GPU.Example.COM'}").code()).isEqualTo(200);
    assertThat(status("c", "{'allocation':null,'reservedFor':null}").code()).isEqualTo(200);
  }

  @Test
  void anotherNameForAKnownConsumerCountsAsNew() {
    claimWith("c", ONE);
    client.merge(claims + "/c", json("{'metadata':{'finalizers':['a.b/c']}}"));
    client.delete(claims + "/c");
    Client.Answer answer =
        status("c", "{'reservedFor':[{'resource':'things','name':'x','uid':'u1'}]}");
    assertThat(answer.message()).contains("new entries may not be added");
    assertThat(status("c", "{'reservedFor':null}").code()).isEqualTo(200);
  }

  @Test
  void theDataLimitCountsBytes() {
    String data = "ä".repeat(8193);
    Client.Answer answer =
        claimWith(
            "c",
            "{'driverName':'d','allocation':{'resourceHandles':[{'driverName':'d','data':'"
                + data
                + "'}]}}");
    assertThat(answer.message())
        .contains("resourceHandles[0].data: Too long: may not be longer than 16384");
  }

  @Test
  void aStatusWriteIgnoresMetadataAndAMainWriteIgnoresStatus() {
    ObjectNode made = (ObjectNode) client.post(claims, claim("c")).json();
    made.withObjectProperty("metadata").withObjectProperty("labels").put("a", "b");
    made.withObjectProperty("metadata").putArray("finalizers").add("a.b/c");
    made.withObjectProperty("status").put("driverName", "d");
    Client.Answer status = client.put(claims + "/c/status", made);
    assertThat(status.code()).isEqualTo(200);
    assertThat(status.at("status.driverName")).isEqualTo("d");
    assertThat(status.at("metadata.labels.a")).isEmpty();
    assertThat(status.json().at("/metadata/finalizers").isMissingNode()).isTrue();
    Client.Answer patched =
        client.merge(
            claims + "/c", json("{'metadata':{'labels':{'a':'b'}},'status':{'driverName':'e'}}"));
    assertThat(patched.at("metadata.labels.a")).isEqualTo("b");
    assertThat(patched.at("status.driverName")).isEqualTo("d");
  }

  @Test
  void removingTheLastFinalizerAnswersTheOldRevisionAndTellsWatchersANewerOne() throws Exception {
    client.post(claims, claim("c"));
    client.merge(claims + "/c", json("{'metadata':{'finalizers':['a.b/c']}}"));
    Client.Answer deleting = client.delete(claims + "/c");
    assertThat(deleting.code()).isEqualTo(200);
    assertThat(deleting.at("kind")).isEqualTo("ResourceClaim");
    assertThat(deleting.at("metadata.deletionTimestamp")).isNotEmpty();
    assertThat(client.delete(claims + "/c").rv()).isEqualTo(deleting.rv());
    assertThat(client.post(claims, claim("c")).message()).startsWith("object is being deleted: ");
    Client.Answer late =
        client.merge(claims + "/c", json("{'metadata':{'finalizers':['a.b/c','d.e/f']}}"));
    assertThat(late.message())
        .contains("no new finalizers can be added if the object is being deleted");
    try (Client.Events events =
        client.watch(claims + "?watch=true&resourceVersion=" + deleting.rv())) {
      ObjectNode last = (ObjectNode) deleting.json();
      last.withObjectProperty("metadata").remove("finalizers");
      Client.Answer gone = client.put(claims + "/c", last);
      assertThat(gone.code()).isEqualTo(200);
      assertThat(gone.rv()).isEqualTo(deleting.rv());
      var event = events.next();
      assertThat(event.at("/type").asText()).isEqualTo("DELETED");
      assertThat(event.at("/object/metadata/finalizers/0").asText()).isEqualTo("a.b/c");
      assertThat(Long.parseLong(event.at("/object/metadata/resourceVersion").asText()))
          .isGreaterThan(Long.parseLong(deleting.rv()));
    }
    assertThat(client.get(claims + "/c").code()).isEqualTo(404);
  }

  /** The forms in which a driver can write a claim without knowing all of it. */
  @Test
  void aStrategicPatchMovesOneFinalizerAndOnlyOfTheVersionAndUidThatItNames() {
    client.post(claims, claim("c"));
    Client.Answer made = client.merge(claims + "/c", json("{'metadata':{'finalizers':['a.b/c']}}"));
    String add = conditional(made, "'finalizers':['d.e/f']");
    Client.Answer added = client.patch(STRATEGIC, claims + "/c", add);
    assertThat(finalizers(added)).containsExactlyInAnyOrder("a.b/c", "d.e/f");
    Client.Answer stale = client.patch(STRATEGIC, claims + "/c", add);
    assertThat(stale.code()).isEqualTo(409);
    Client.Answer other =
        client.patch(
            STRATEGIC, claims + "/c", json("{'metadata':{'uid':'x','finalizers':['y/z']}}"));
    assertThat(other.code()).isEqualTo(422);
    assertThat(other.json().at("/details/causes/0/field").asText()).isEqualTo("metadata.uid");
    String remove = conditional(added, "'$deleteFromPrimitiveList/finalizers':['d.e/f']");
    Client.Answer removed = client.patch(STRATEGIC, claims + "/c", remove);
    assertThat(finalizers(removed)).containsExactly("a.b/c");
    String again = conditional(removed, "'$deleteFromPrimitiveList/finalizers':['d.e/f']");
    assertThat(client.patch(STRATEGIC, claims + "/c", again).rv()).isEqualTo(removed.rv());
  }

  @Test
  void aStrategicPatchOfTheStatusAllocatesReservesAndClears() {
    Client.Answer made = client.post(claims, claim("c"));
    String allocate =
        json("{'metadata':{'uid':'UID','resourceVersion':'RV'},'status':" + ONE + "}");
    Client.Answer allocated =
        client.patch(
            STRATEGIC,
            claims + "/c/status",
            allocate.replace("UID", made.at("metadata.uid")).replace("RV", made.rv()));
    assertThat(allocated.at("status.driverName")).isEqualTo("gpu.example.com");
    assertThat(allocated.json().at("/status/reservedFor/0/uid").asText()).isEqualTo("u1");
    String clear =
        "{'status':{'allocation':null,'driverName':null,'reservedFor':null,'deallocationRequested':null}}";
    Client.Answer cleared = client.patch(STRATEGIC, claims + "/c/status", json(clear));
    assertThat(cleared.json().path("status").toString()).isEqualTo("{}");
    assertThat(client.patch(STRATEGIC, claims + "/none/status", json(clear)).code()).isEqualTo(404);
  }

  @Test
  void theConsumersGoInTheStrategicPatchThatRequestsTheDeallocation() {
    Client.Answer allocated = claimWith("c", ONE);
    String request =
        "{'metadata':{'uid':'UID','resourceVersion':'RV'},'status':"
            + "{'reservedFor':null,'deallocationRequested':true}}";
    Client.Answer requested =
        client.patch(
            STRATEGIC,
            claims + "/c/status",
            json(request)
                .replace("UID", allocated.at("metadata.uid"))
                .replace("RV", allocated.rv()));
    assertThat(requested.code()).isEqualTo(200);
    assertThat(requested.json().path("status").has("reservedFor")).isFalse();
    assertThat(requested.at("status.deallocationRequested")).isEqualTo("true");
    assertThat(requested.json().path("status").has("allocation")).isTrue();
  }

  private static String conditional(Client.Answer seen, String metadata) {
    return json(
        "{'metadata':{'uid':'%s','resourceVersion':'%s',%s}}"
            .formatted(seen.at("metadata.uid"), seen.rv(), metadata));
  }

  private static List<String> finalizers(Client.Answer claim) {
    List<String> found = new ArrayList<>();
    claim.json().at("/metadata/finalizers").forEach(finalizer -> found.add(finalizer.asText()));
    return found;
  }

  @Test
  void aClaimHasItsDefaultsAndNoGeneration() {
    Client.Answer made =
        client.post(
            claims,
            json(
                "{'metadata':{'generateName':'c-'},'spec':{'resourceClassName':'gpu'},'status':{'driverName':'x'}}"));
    assertThat(made.at("metadata.name")).matches("c-[a-z0-9]{5}");
    assertThat(made.at("spec.allocationMode")).isEqualTo("WaitForFirstConsumer");
    assertThat(made.json().path("status").toString()).isEqualTo("{}");
    assertThat(made.json().path("metadata").has("generation")).isFalse();
    String templates = DRA + "namespaces/" + ns + "/resourceclaimtemplates";
    Client.Answer template =
        client.post(templates, named("t", json("{'spec':{'spec':{'resourceClassName':'gpu'}}}")));
    assertThat(template.at("spec.spec.allocationMode")).isEqualTo("WaitForFirstConsumer");
    Client.Answer changed =
        client.merge(
            claims + "/" + made.at("metadata.name"), json("{'spec':{'resourceClassName':'b'}}"));
    assertThat(changed.message()).contains("spec: Invalid value").endsWith("field is immutable");
  }

  @Test
  void aClassWithoutDriverNameHasTwoCauses() {
    Client.Answer answer = client.post(DRA + "resourceclasses", named("x", "{}"));
    assertThat(answer.code()).isEqualTo(422);
    assertThat(answer.json().at("/details/causes")).hasSize(2);
  }
}
