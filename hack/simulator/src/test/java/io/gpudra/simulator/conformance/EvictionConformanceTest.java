package io.gpudra.simulator.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.simulator.api.Json;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the eviction of a pod comes to. The pods are of a node that is not there. */
class EvictionConformanceTest extends ConformanceCase {
  private final String pods = "/api/v1/namespaces/" + ns + "/pods";
  private final String budgets = "/apis/policy/v1/namespaces/" + ns + "/poddisruptionbudgets";

  @BeforeEach
  void makePod() {
    String spec =
        "{'spec':{'nodeName':'nowhere-%s','containers':[{'name':'c','image':'i'}]}}".formatted(ns);
    String labelled =
        "{\"metadata\":{\"name\":\"p\",\"labels\":{\"app\":\"a\"}}," + json(spec).substring(1);
    assertThat(client.post(pods, labelled).code()).isEqualTo(201);
  }

  private void run() {
    String ready = "{'status':{'phase':'Running','conditions':[{'type':'Ready','status':'True'}]}}";
    assertThat(client.merge(pods + "/p/status", json(ready)).code()).isEqualTo(200);
  }

  private void budget(String name, int healthy) {
    String spec = "{'spec':{'minAvailable':%d,'selector':{'matchLabels':{'app':'a'}}}}";
    assertThat(client.post(budgets, named(name, json(spec.formatted(healthy)))).code())
        .isEqualTo(201);
  }

  /** As the disruption controller has it, where there is one. */
  private void allow(String name, int healthy) {
    String status =
        "{'status':{'observedGeneration':1,'currentHealthy':1,'desiredHealthy':%d,"
            + "'expectedPods':1,'disruptionsAllowed':%d}}";
    client.merge(budgets + "/" + name + "/status", json(status.formatted(healthy, 1 - healthy)));
    await()
        .atMost(LONG)
        .until(
            () -> {
              JsonNode now = client.get(budgets + "/" + name).json().path("status");
              return now.path("currentHealthy").asInt() == 1
                  && now.path("disruptionsAllowed").asInt() == 1 - healthy;
            });
  }

  private Client.Answer evict(String name, String options) {
    String body =
        "{'apiVersion':'policy/v1','kind':'Eviction','metadata':{'name':'%s'},'deleteOptions':%s}";
    return client.post(pods + "/p/eviction", json(body.formatted(name, options)));
  }

  private boolean ends() {
    Client.Answer pod = client.get(pods + "/p");
    return pod.code() == 404 || pod.json().at("/metadata/deletionTimestamp").isTextual();
  }

  @Test
  void aPodWithoutABudgetIsDeleted() {
    run();
    Client.Answer answer = evict("p", "{}");
    assertThat(answer.code()).isEqualTo(201);
    assertThat(answer.json())
        .isEqualTo(
            Json.parse(
                json(
                    "{'kind':'Status','apiVersion':'v1','metadata':{},'status':'Success',"
                        + "'code':201}")));
    assertThat(ends()).isTrue();
  }

  @Test
  void aBudgetThatIsUsedUpForbidsIt() {
    run();
    budget("b", 1);
    allow("b", 1);
    Client.Answer answer = evict("p", "{}");
    assertThat(answer.code()).isEqualTo(429);
    assertThat(answer.json())
        .isEqualTo(
            Json.parse(
                json("{'kind':'Status','apiVersion':'v1','metadata':{},'status':'Failure','message':"
                        + "'Cannot evict pod as it would violate the pod#s disruption budget.',"
                        + "'reason':'TooManyRequests','details':{'causes':[{'reason':"
                        + "'DisruptionBudget','message':'The disruption budget b needs 1 healthy"
                        + " pods and has 1 currently'}]},'code':429}")
                    .replace('#', '\'')));
    assertThat(ends()).isFalse();
  }

  @Test
  void aBudgetThatAllowsItIsUsed() {
    run();
    budget("b", 0);
    allow("b", 0);
    assertThat(evict("p", "{}").code()).isEqualTo(201);
    assertThat(ends()).isTrue();
  }

  @Test
  void severalBudgetsAreMoreThanCanBeAsked() {
    run();
    budget("b", 0);
    budget("c", 0);
    Client.Answer answer = evict("p", "{}");
    assertThat(answer.code()).isEqualTo(500);
    assertThat(answer.json().path("message").asText())
        .isEqualTo(
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does"
                + " not support.");
  }

  @Test
  void aPodThatNeverRanIsDeletedWhateverABudgetSays() {
    budget("b", 1);
    assertThat(evict("p", "{}").code()).isEqualTo(201);
    assertThat(ends()).isTrue();
  }

  @Test
  void anotherPodOfTheNameIsNotEvicted() {
    run();
    assertThat(evict("p", "{'preconditions':{'uid':'another'}}").code()).isEqualTo(409);
    assertThat(evict("q", "{}").code()).isEqualTo(400);
    assertThat(ends()).isFalse();
    assertThat(client.post(pods + "/none/eviction", named("none", "{}")).code()).isEqualTo(404);
  }
}
