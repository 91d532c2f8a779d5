package io.gpudra.simulator.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Custom resources: schema, defaults, rules, columns (testing.md 5, rows 15, 20 and CRDs). */
class CustomResourceConformanceTest extends ConformanceCase {
  private static final String DEFINITIONS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  private static final String DEFINITION =
      """
      {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
       "metadata":{"name":"gears.GROUP"},
       "spec":{"group":"GROUP","scope":"Namespaced",
        "names":{"kind":"Gear","plural":"gears","shortNames":["gr"]},
        "versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
         "additionalPrinterColumns":[{"name":"Ready","type":"string",
           "jsonPath":".status.conditions[?(@.type==\\"Ready\\")].status"}],
         "schema":{"openAPIV3Schema":{"type":"object","required":["spec"],"properties":{
          "spec":{"type":"object","required":["count"],
           "x-kubernetes-validations":[
            {"rule":"!has(self.max) || self.count <= self.max","message":"count over max"},
            {"rule":"!has(self.parts) || self.parts.map(p, p.size).sum() <= 9","message":"too big"},
            {"rule":"!has(oldSelf.color) || self.color == oldSelf.color","message":"color is final"}],
           "properties":{
            "count":{"type":"integer","minimum":1,"maximum":8},
            "max":{"type":"integer"},
            "mode":{"type":"string","enum":["Yes","Never"],"default":"Yes"},
            "color":{"type":"string","maxLength":5,"pattern":"^[a-z]*$","default":"red"},
            "until":{"type":"string","format":"date-time"},
            "parts":{"type":"array","maxItems":2,"x-kubernetes-list-type":"map",
             "x-kubernetes-list-map-keys":["name"],
             "items":{"type":"object","required":["name"],"properties":{
              "name":{"type":"string"},"size":{"type":"integer","default":1}}}}}},
          "status":{"type":"object","properties":{"conditions":{"type":"array",
            "x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["type"],
            "items":{"type":"object","required":["type"],"properties":{
             "type":{"type":"string"},"status":{"type":"string"}}}}}}}}}}]}}
      """;

  private final String group = ns + ".example.com";
  private final String gears = "/apis/" + group + "/v1/namespaces/" + ns + "/gears";

  @BeforeEach
  void define() {
    Client.Answer made = client.post(DEFINITIONS, DEFINITION.replace("GROUP", group));
    assertThat(made.code()).isEqualTo(201);
    String definition = DEFINITIONS + "/gears." + group;
    await().atMost(LONG).until(() -> client.get(definition).text().contains("Established"));
    await().atMost(LONG).until(() -> client.get(gears).code() == 200);
  }

  @AfterEach
  void undefine() {
    client.delete(DEFINITIONS + "/gears." + group);
  }

  private Client.Answer gear(String name, String spec) {
    return client.post(gears, gearJson(name, spec));
  }

  private String gearJson(String name, String spec) {
    String head = "{'apiVersion':'" + group + "/v1','kind':'Gear','metadata':{'name':'";
    return json(head + name + "'},'spec':" + spec + "}");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'count':0} | spec.count | Invalid value: 0: spec.count in body should be greater than or equal to 1",
        "{'count':9} | spec.count | Invalid value: 9: spec.count in body should be less than or equal to 8",
        "{} | spec.count | Required value",
        "{'count':'x'} | spec.count | Invalid value: \"string\": spec.count in body must be of type integer: \"string\"",
        "{'count':1,'mode':'No'} | spec.mode | Unsupported value: \"No\": supported values: \"Yes\", \"Never\"",
        "{'count':1,'color':'RED'} | spec.color | Invalid value: \"RED\": spec.color in body should match '^[a-z]*$'",
        "{'count':1,'color':'purple'} | spec.color | Too long: may not be longer than 5",
        "{'count':1,'until':'soon'} | spec.until | Invalid value: \"soon\": spec.until in body must be of type date-time: \"soon\"",
        "{'count':1,'parts':[{'name':'a'},{'name':'b'},{'name':'c'}]} | spec.parts | Too many: 3: must have at most 2 items",
        "{'count':1,'parts':[{'name':'a'},{'name':'a'}]} | spec.parts[1] | Duplicate value",
        "{'count':5,'max':3} | spec | Invalid value: \"object\": count over max",
        "{'count':1,'parts':[{'name':'a','size':10}]} | spec | Invalid value: \"object\": too big",
      })
  void whatDoesNotFitIsRefusedWithTheTextOfARealServer(String spec, String field, String text) {
    Client.Answer answer = gear("g", spec);
    assertThat(answer.code()).isEqualTo(422);
    assertThat(answer.json().at("/details/causes/0/field").asText()).isEqualTo(field);
    assertThat(answer.json().at("/details/causes/0/message").asText()).startsWith(text);
  }

  @Test
  void defaultsAreFilledUnknownFieldsPrunedAndTheGenerationCounts() {
    Client.Answer made = gear("g", "{'count':1,'cuont':2,'parts':[{'name':'a'}]}");
    assertThat(made.at("spec.mode")).isEqualTo("Yes");
    assertThat(made.json().at("/spec/parts/0/size").asInt()).isEqualTo(1);
    assertThat(made.json().path("spec").has("cuont")).isFalse();
    assertThat(made.warnings()).isNotEmpty();
    assertThat(made.json().at("/metadata/generation").asInt()).isEqualTo(1);
    Client.Answer status =
        client.merge(gears + "/g/status", json("{'spec':{'count':3},'status':{'conditions':[]}}"));
    assertThat(status.json().at("/metadata/generation").asInt()).isEqualTo(1);
    assertThat(status.json().at("/spec/count").asInt()).isEqualTo(1);
    Client.Answer spec = client.merge(gears + "/g", json("{'spec':{'count':3}}"));
    assertThat(spec.json().at("/metadata/generation").asInt()).isEqualTo(2);
  }

  @Test
  void rulesAboutTheOldValueRunOnUpdatesOnly() {
    assertThat(gear("g", "{'count':1,'color':'blue'}").code()).isEqualTo(201);
    Client.Answer changed = client.merge(gears + "/g", json("{'spec':{'color':'green'}}"));
    assertThat(changed.message()).endsWith("spec: Invalid value: \"object\": color is final");
  }

  @Test
  void aPutNeedsARevision() {
    gear("g", "{'count':1}");
    Client.Answer answer = client.put(gears + "/g", gearJson("g", "{'count':2}"));
    assertThat(answer.code()).isEqualTo(422);
    assertThat(answer.message())
        .endsWith("metadata.resourceVersion: Invalid value: 0x0: must be specified for an update");
  }

  @Test
  void protobufIsNotForCustomResources() {
    String protobuf = "application/vnd.kubernetes.protobuf";
    assertThat(client.send("GET", gears, "", "", protobuf).code()).isEqualTo(406);
    Client.Answer either = client.send("GET", gears, "", "", protobuf + ",application/json");
    assertThat(either.at("kind")).isEqualTo("GearList");
  }

  @Test
  void strategicMergePatchesAreNotForCustomResources() {
    gear("g", "{'count':1}");
    String type = "application/strategic-merge-patch+json";
    assertThat(client.patch(type, gears + "/g", "{}").code()).isEqualTo(415);
  }

  @Test
  void managersShareAStatusByConditionType() {
    gear("g", "{'count':1}");
    for (String type : new String[] {"Ready", "Healthy"}) {
      String head = "{'apiVersion':'" + group + "/v1','kind':'Gear','metadata':{'name':'g'},";
      String body = head + "'status':{'conditions':[{'type':'" + type + "','status':'True'}]}}";
      Client.Answer answer = client.apply(gears + "/g/status?fieldManager=" + type, json(body));
      assertThat(answer.code()).isEqualTo(200);
    }
    assertThat(client.get(gears + "/g").json().at("/status/conditions")).hasSize(2);
    Client.Answer table =
        client.send("GET", gears, "", "", "application/json;as=Table;v=v1;g=meta.k8s.io");
    assertThat(table.json().at("/rows/0/cells/1").asText()).isEqualTo("True");
  }

  @Test
  void aDefinitionTakesItsObjectsWithIt() {
    gear("g", "{'count':1}");
    client.delete(DEFINITIONS + "/gears." + group);
    await().atMost(LONG).until(() -> client.get(gears).code() == 404);
    await().atMost(LONG).until(() -> client.get(DEFINITIONS + "/gears." + group).code() == 404);
    define();
    assertThat(client.get(gears).json().path("items")).isEmpty();
  }
}
