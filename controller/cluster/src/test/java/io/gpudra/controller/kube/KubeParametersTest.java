package io.gpudra.controller.kube;

import static io.gpudra.controller.client.ScriptedServer.dropped;
import static io.gpudra.controller.client.ScriptedServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.gson.Gson;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.ScriptedServer;
import io.gpudra.controller.client.ScriptedServer.Call;
import io.gpudra.controller.client.ScriptedServer.Reply;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.kube.mapping.CachedParameters;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.status.StatusTarget;
import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.parameters.ParametersStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What of parameters is kept, and what their status looks like on the wire. */
class KubeParametersTest {
  private static final ObjectKey OF_CLAIM = new ObjectKey("ns", "one");
  private static final ObjectKey OF_CLASS = new ObjectKey("", "class");
  private static final ParametersStatus STATUS =
      new ParametersStatus(
          7L,
          "1 GPU",
          8,
          2,
          ImmutableList.of(
              new Condition("Valid", "True", "Accepted", null, "2026-11-21T08:00:00Z")));

  private final List<Reply> replies = new ArrayList<>();
  private boolean mayWrite = true;
  private ScriptedServer server;
  private HttpClients http;
  private KubeParameters parameters;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer(call -> replies.remove(0));
    http = server.client();
    StatusCalls calls = new StatusCalls(http.calls(), "gpu.example.com", () -> mayWrite);
    parameters = new KubeParameters(calls);
    parameters
        .ofClaims()
        .put(
            new Kept<>(
                "ns/one",
                "u1",
                "5",
                CachedParameters.of(
                    new Gson()
                        .fromJson(
                            "{'metadata':{'generation':7},'spec':{'count':2},"
                                + "'status':{'observedGeneration':7,'summary':'old'}}",
                            GpuClaimParameters.class))));
    parameters
        .ofClasses()
        .put(
            new Kept<>(
                "class",
                "u2",
                "6",
                CachedParameters.of(new GpuClassParameters(null, null, null, null))));
  }

  @AfterEach
  void stop() {
    http.close();
    server.close();
  }

  private StatusTarget find(ObjectKey key) {
    return parameters.find(key).orElseThrow();
  }

  @Test
  void whatIsStoredIsKeptInAFewWords() {
    CachedParameters<GpuClaimParameters> kept =
        parameters.ofClaims().get("ns/one").orElseThrow().value();

    assertThat(kept.object().status()).isNull();
    assertThat(kept.hasCurrentStatus()).isTrue();
    assertThat(parameters.ofClasses().get("class").orElseThrow().value().hasCurrentStatus())
        .isFalse();
    assertThat(parameters.keys()).containsExactlyInAnyOrder(OF_CLAIM, OF_CLASS);
    assertThat(find(OF_CLAIM).generation()).isEqualTo(7);
    assertThat(find(OF_CLAIM).stored().generation()).isEqualTo(7);
    assertThat(parameters.find(new ObjectKey("ns", "other"))).isEmpty();
  }

  @Test
  void whatCannotBeReadIsNotJudgedByWhatItWas() {
    parameters.ofClaims().unreadable("ns/one", "spec is no object");

    assertThat(parameters.find(OF_CLAIM)).isEmpty();
  }

  /** Also of a class that somebody broke since: nothing is told that was not before. */
  @Test
  void whatAnyClassForbidsIsForbidden() {
    assertThat(parameters.forbiddenAttributes()).isEmpty();

    for (String attribute : List.of("uuid", "node")) {
      String spec = "{'spec':{'forbiddenAttributes':['name','%s']}}".formatted(attribute);
      GpuClassParameters object = new Gson().fromJson(spec, GpuClassParameters.class);
      parameters.ofClasses().put(new Kept<>(attribute, "u", "7", CachedParameters.of(object)));
    }
    parameters.ofClasses().unreadable("node", "spec is no object");

    assertThat(parameters.forbiddenAttributes()).containsExactlyInAnyOrder("name", "uuid", "node");
  }

  @Test
  void appliesTheStatusByForceToThisVeryObject() {
    replies.add(json(200, "{}"));
    assertThat(parameters.write(find(OF_CLAIM), STATUS)).isEqualTo(Kind.DONE);
    Call call = server.calls().get(0);
    assertThat(call.method()).isEqualTo("PATCH");
    assertThat(call.path())
        .isEqualTo(
            "/apis/gpu.resource.example.com/v1alpha1/namespaces/ns/gpuclaimparameters/one/status");
    assertThat(call.query())
        .containsEntry("fieldManager", "gpu.example.com")
        .containsEntry("force", "true");
    assertThat(call.contentType()).isEqualTo("application/apply-patch+yaml");
    assertThat(call.body())
        .isEqualTo(
            "{\"apiVersion\":\"gpu.resource.example.com/v1alpha1\",\"kind\":\"GpuClaimParameters\","
                + "\"metadata\":{\"name\":\"one\",\"uid\":\"u1\",\"namespace\":\"ns\"},\"status\":{\"observedGeneration\":7,\"summary\":\"1"
                + " GPU\",\"matchingDevices\":8,"
                + "\"matchingNodes\":2,\"conditions\":[{\"type\":\"Valid\",\"status\":\"True\","
                + "\"reason\":\"Accepted\",\"lastTransitionTime\":\"2026-11-21T08:00:00Z\"}]}}");
  }

  @Test
  void aClassHasNoNamespace() {
    replies.add(json(200, "{}"));
    assertThat(parameters.write(find(OF_CLASS), STATUS)).isEqualTo(Kind.DONE);

    assertThat(server.calls().get(0).path())
        .isEqualTo("/apis/gpu.resource.example.com/v1alpha1/gpuclassparameters/class/status");
    assertThat(server.calls().get(0).body())
        .contains(
            "\"kind\":\"GpuClassParameters\",\"metadata\":{\"name\":\"class\",\"uid\":\"u2\"}");
  }

  @ParameterizedTest
  @CsvSource({
    "404,x,GONE",
    "422,metadata.uid,GONE",
    "422,status,REJECTED",
    "403,x,REJECTED",
    "409,x,CONFLICT",
    "500,x,UNCLEAR"
  })
  void everyAnswerHasItsOutcome(int code, String field, Kind expected) {
    replies.add(json(code, "{\"details\":{\"causes\":[{\"field\":\"" + field + "\"}]}}"));
    assertThat(parameters.write(find(OF_CLAIM), STATUS)).isEqualTo(expected);
  }

  @Test
  void aDroppedReplyIsUnclearAndAFormerLeaderSendsNothing() {
    replies.add(dropped());
    assertThat(parameters.write(find(OF_CLAIM), STATUS)).isEqualTo(Kind.UNCLEAR);
    mayWrite = false;
    assertThat(parameters.write(find(OF_CLAIM), STATUS)).isEqualTo(Kind.UNCLEAR);
    assertThat(server.calls()).hasSize(1);
  }
}
