package io.gpudra.controller.kube;

import static io.gpudra.controller.client.ScriptedServer.dropped;
import static io.gpudra.controller.client.ScriptedServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.LenientJson;
import io.gpudra.controller.client.ScriptedServer;
import io.gpudra.controller.client.ScriptedServer.Call;
import io.gpudra.controller.client.ScriptedServer.Reply;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.dra.ContextStore.StatusPatch;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.kube.mapping.ContextMapping;
import io.gpudra.controller.loop.ObjectKey;
import io.kubernetes.client.openapi.models.V1alpha2PodSchedulingContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How contexts read, and what our entries look like on the wire. */
class KubeContextStoreTest {
  private static final String CONTEXT =
      "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"pod\",\"uid\":\"u\",\"resourceVersion\":\"5\","
          + "\"ownerReferences\":[{\"uid\":\"pod-uid\",\"controller\":true}]},"
          + "\"spec\":{\"selectedNode\":\"w1\",\"potentialNodes\":[\"w1\",\"w2\"]},"
          + "\"status\":{\"resourceClaims\":[{\"name\":\"gpu\",\"unsuitableNodes\":[\"w2\"]},"
          + "{\"name\":\"net\"}]}}";
  private static final StatusPatch PATCH =
      new StatusPatch(
          ImmutableSortedMap.of("gpu", ImmutableList.of("w1", "w2"), "two", ImmutableList.of()));

  private final ObjectCache<ContextFacts> cache = new ObjectCache<>();
  private final List<Reply> replies = new ArrayList<>();
  private boolean mayWrite = true;
  private ScriptedServer server;
  private HttpClients http;
  private KubeContextStore contexts;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer(call -> replies.remove(0));
    http = server.client();
    contexts = new KubeContextStore(cache, http.calls(), "gpu.example.com", () -> mayWrite);
  }

  @AfterEach
  void stop() {
    http.close();
    server.close();
  }

  @Test
  void readsAContext() {
    ContextFacts facts = read(CONTEXT);
    cache.put(new Kept<>("ns/pod", "u", "5", facts));
    assertThat(contexts.get(new ObjectKey("ns", "pod"))).hasValue(facts);
    assertThat(contexts.all()).containsExactly(facts);
    assertThat(facts.pod().uid()).isEqualTo("pod-uid");
    assertThat(facts.selectedNode()).hasValue("w1");
    assertThat(facts.potentialNodes()).containsExactly("w1", "w2");
    assertThat(facts.unsuitableNodes().get("gpu")).containsExactly("w2");
    assertThat(facts.unsuitableNodes().get("net")).isEmpty();
  }

  @Test
  void aContextWithoutControllerBelongsToNoPod() {
    ContextFacts facts = read("{\"metadata\":{\"name\":\"pod\"},\"spec\":{\"selectedNode\":\"\"}}");
    assertThat(facts.pod().uid()).isEmpty();
    assertThat(facts.selectedNode()).isEmpty();
  }

  @Test
  void appliesOurEntriesByForceToThisVeryContext() {
    replies.add(json(200, "{}"));
    assertThat(contexts.apply(read(CONTEXT), PATCH)).isEqualTo(Kind.DONE);
    Call call = server.calls().get(0);
    assertThat(call.method()).isEqualTo("PATCH");
    assertThat(call.path())
        .isEqualTo("/apis/resource.k8s.io/v1alpha2/namespaces/ns/podschedulingcontexts/pod/status");
    assertThat(call.query())
        .containsEntry("fieldManager", "gpu.example.com")
        .containsEntry("force", "true");
    assertThat(call.contentType()).isEqualTo("application/apply-patch+yaml");
    assertThat(call.body())
        .isEqualTo(
            "{\"apiVersion\":\"resource.k8s.io/v1alpha2\",\"kind\":\"PodSchedulingContext\","
                + "\"metadata\":{\"namespace\":\"ns\",\"name\":\"pod\",\"uid\":\"u\"},"
                + "\"status\":{\"resourceClaims\":[{\"name\":\"gpu\",\"unsuitableNodes\":"
                + "[\"w1\",\"w2\"]},{\"name\":\"two\",\"unsuitableNodes\":[]}]}}");
  }

  @ParameterizedTest
  @CsvSource({
    "404,x,GONE",
    "422,metadata.uid,GONE",
    "422,status,REJECTED",
    "409,x,UNCLEAR",
    "500,x,UNCLEAR"
  })
  void everyAnswerHasItsOutcome(int code, String field, Kind expected) {
    replies.add(json(code, "{\"details\":{\"causes\":[{\"field\":\"" + field + "\"}]}}"));
    assertThat(contexts.apply(read(CONTEXT), PATCH)).isEqualTo(expected);
  }

  @Test
  void aDroppedReplyIsUnclearAndAFormerLeaderSendsNothing() {
    replies.add(dropped());
    assertThat(contexts.apply(read(CONTEXT), PATCH)).isEqualTo(Kind.UNCLEAR);
    mayWrite = false;
    assertThat(contexts.apply(read(CONTEXT), PATCH)).isEqualTo(Kind.UNCLEAR);
    assertThat(server.calls()).hasSize(1);
  }

  private static ContextFacts read(String json) {
    return ContextMapping.facts(
        LenientJson.gson().fromJson(json, V1alpha2PodSchedulingContext.class));
  }
}
