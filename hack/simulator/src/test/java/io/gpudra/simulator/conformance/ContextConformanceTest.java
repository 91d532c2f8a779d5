package io.gpudra.simulator.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Status of PodSchedulingContexts: testing.md 5, rows 5, 6, 7. */
class ContextConformanceTest extends ConformanceCase {

  @BeforeEach
  void makeContext() {
    assertThat(client.post(contexts, named("p", json("{'spec':{}}"))).code()).isEqualTo(201);
  }

  private Client.Answer applyAs(String manager, String entries, boolean force) {
    String body =
        "{'apiVersion':'resource.k8s.io/v1alpha2','kind':'PodSchedulingContext','metadata':{'name':'p'},"
            + "'status':{'resourceClaims':"
            + entries
            + "}}";
    String path = contexts + "/p/status?fieldManager=" + manager + "&force=" + force;
    return client.apply(path, json(body));
  }

  private static String entries(Client.Answer answer) {
    return answer.json().at("/status/resourceClaims").toString().replace('"', '\'');
  }

  @Test
  void eachManagerOwnsItsEntries() {
    assertThat(applyAs("one", "[{'name':'c1','unsuitableNodes':['a']}]", false).code())
        .isEqualTo(200);
    Client.Answer both = applyAs("two", "[{'name':'c2','unsuitableNodes':['b']}]", false);
    assertThat(entries(both))
        .isEqualTo("[{'name':'c1','unsuitableNodes':['a']},{'name':'c2','unsuitableNodes':['b']}]");
    assertThat(applyAs("two", "[{'name':'c2','unsuitableNodes':['b']}]", false).rv())
        .as("an apply that changes nothing")
        .isEqualTo(both.rv());
    assertThat(entries(applyAs("two", "[]", false)))
        .isEqualTo("[{'name':'c1','unsuitableNodes':['a']}]");
  }

  @Test
  void aConflictNamesManagerAndFieldAndForceTakesIt() {
    applyAs("one", "[{'name':'c1','unsuitableNodes':['a']}]", false);
    Client.Answer conflict = applyAs("two", "[{'name':'c1','unsuitableNodes':['b']}]", false);
    String field = ".status.resourceClaims[name=\"c1\"].unsuitableNodes";
    assertThat(conflict.code()).isEqualTo(409);
    assertThat(conflict.message())
        .isEqualTo(
            "Apply failed with 1 conflict: conflict with \"one\" with subresource \"status\": "
                + field);
    assertThat(conflict.json().at("/details/causes/0/reason").asText())
        .isEqualTo("FieldManagerConflict");
    assertThat(conflict.json().at("/details/causes/0/field").asText()).isEqualTo(field);
    assertThat(entries(applyAs("two", "[{'name':'c1','unsuitableNodes':['b']}]", true)))
        .isEqualTo("[{'name':'c1','unsuitableNodes':['b']}]");
    assertThat(entries(applyAs("one", "[]", false)))
        .as("the name is co-owned, so the entry stays")
        .isEqualTo("[{'name':'c1','unsuitableNodes':['b']}]");
  }

  @Test
  void anApplyToAMissingStatusCreatesNothing() {
    String body =
        json(
            "{'apiVersion':'resource.k8s.io/v1alpha2','kind':'PodSchedulingContext','metadata':{'name':'q'}}");
    assertThat(client.apply(contexts + "/q/status?fieldManager=one", body).code()).isEqualTo(404);
    assertThat(
            client
                .apply(contexts + "/q?fieldManager=one", body.replace("}}", "},\"spec\":{}}"))
                .code())
        .isEqualTo(201);
  }

  @Test
  void anApplyForAnotherUidIsRefused() {
    String body =
        json(
            "{'apiVersion':'resource.k8s.io/v1alpha2','kind':'PodSchedulingContext','metadata':{'name':'p','uid':'other'},'status':{}}");
    Client.Answer answer = client.apply(contexts + "/p/status?fieldManager=one&force=true", body);
    assertThat(answer.code()).isEqualTo(422);
    assertThat(answer.message()).contains("metadata.uid: Invalid value");
  }

  @Test
  void anEntryWithoutNameIsAnErrorOfTheServer() {
    Client.Answer answer = applyAs("one", "[{'unsuitableNodes':['a']}]", true);
    assertThat(answer.code()).isEqualTo(500);
    assertThat(answer.message()).contains("failed to create typed patch object");
    assertThat(applyAs("one", "[{'name':'a'},{'name':'a'}]", true).code()).isEqualTo(500);
  }

  @Test
  void mergeAndStrategicPatchesReplaceTheWholeListOfAContextButMergeConsumersOfAClaim() {
    for (String type :
        new String[] {"application/merge-patch+json", "application/strategic-merge-patch+json"}) {
      client.patch(
          type, contexts + "/p/status", json("{'status':{'resourceClaims':[{'name':'a'}]}}"));
      Client.Answer answer =
          client.patch(
              type, contexts + "/p/status", json("{'status':{'resourceClaims':[{'name':'b'}]}}"));
      assertThat(entries(answer)).isEqualTo("[{'name':'b'}]");
    }
    claimWith(
        "c",
        "{'driverName':'d','allocation':{'shareable':true},'reservedFor':[{'resource':'things','name':'p','uid':'1'}]}");
    String strategic = "application/strategic-merge-patch+json";
    Client.Answer two =
        client.patch(
            strategic,
            claims + "/c/status",
            json("{'status':{'reservedFor':[{'resource':'things','name':'q','uid':'2'}]}}"));
    assertThat(two.json().at("/status/reservedFor")).hasSize(2);
    Client.Answer one =
        client.patch(
            strategic,
            claims + "/c/status",
            json("{'status':{'reservedFor':[{'$patch':'delete','uid':'1'}]}}"));
    assertThat(one.json().at("/status/reservedFor/0/name").asText()).isEqualTo("q");
  }

  @Test
  void listsAreLimitedAndErrorsNameThePathOfARealServer() {
    String many =
        IntStream.range(0, 129)
            .mapToObj(i -> "'n" + i + "'")
            .collect(Collectors.joining(",", "[", "]"));
    String entry = "{'name':'c','unsuitableNodes':" + many + "}";
    Client.Answer status =
        client.merge(contexts + "/p/status", json("{'status':{'resourceClaims':[" + entry + "]}}"));
    assertThat(status.json().at("/details/causes")).hasSize(1);
    assertThat(status.message())
        .contains("status.claims[0].unsuitableNodes: Too long: may not be longer than 128");
    Client.Answer twice =
        client.merge(
            contexts + "/p/status",
            json(
                "{'status':{'resourceClaims':[{'name':'a','unsuitableNodes':['x','x']},{'name':'a'}]}}"));
    assertThat(twice.message())
        .contains(
            "status.claims[0].unsuitableNodes[1]: Duplicate value",
            "status.claims[1]: Duplicate value");
    Client.Answer spec =
        client.merge(contexts + "/p", json("{'spec':{'potentialNodes':" + many + "}}"));
    assertThat(spec.json().at("/details/causes")).hasSize(2);
    assertThat(spec.message()).contains("spec.potentialNodes: Too long");
  }
}
