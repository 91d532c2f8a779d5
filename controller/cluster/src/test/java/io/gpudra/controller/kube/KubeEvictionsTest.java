package io.gpudra.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.ScriptedServer;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.eviction.Evictor.Cluster.Answer;
import io.gpudra.controller.kube.mapping.CachedClaim;
import io.gpudra.controller.kube.mapping.CachedClaim.Consumer;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KubeEvictionsTest {
  private static final ClaimRef REF = new ClaimRef("team", "c");
  private static final ClaimUid UID = new ClaimUid("claim-uid");

  private final ObjectCache<CachedClaim> cache = new ObjectCache<>();
  private final ClaimOverlay overlay = new ClaimOverlay(cache);

  private void reserve(Consumer... consumers) {
    ClaimFacts facts =
        Some.claim(REF.name()).in(REF.namespace()).uid(UID.value()).withFinalizer(true).facts();
    CachedClaim kept = new CachedClaim(facts, true, ImmutableList.copyOf(consumers));
    cache.put(new Kept<>("team/c", UID.value(), "1", kept));
  }

  private static Consumer pod(String name) {
    return new Consumer("", "pods", name, "uid-of-" + name);
  }

  @Test
  void onlyWhatCanBeAPodIsOne() throws IOException {
    reserve(
        pod("train-0"),
        pod("a.b"),
        pod("../other/pods/victim"),
        pod("a/b"),
        pod("a..b"),
        pod(".."),
        pod(""),
        pod("A"),
        pod("a?dryRun=All"),
        pod("x".repeat(254)),
        new Consumer("", "pods", "no-uid", ""),
        new Consumer("batch", "pods", "job", "u"),
        new Consumer("", "podgroups", "group", "u"));
    try (ScriptedServer server = new ScriptedServer(call -> ScriptedServer.dropped());
        HttpClients http = server.client()) {
      KubeEvictions evictions = new KubeEvictions(overlay, http.calls());

      assertThat(evictions.podsOf(REF, UID))
          .containsExactly(
              new PodRef("team", "train-0", "uid-of-train-0"),
              new PodRef("team", "a.b", "uid-of-a.b"));
      assertThat(evictions.podsOf(REF, new ClaimUid("another"))).isEmpty();
      assertThat(evictions.podsOf(new ClaimRef("team", "d"), UID)).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "201, EVICTED",
    "200, EVICTED",
    "404, GONE",
    "429, BLOCKED",
    "403, FAILED",
    "409, FAILED",
    "500, FAILED",
    "0, FAILED",
  })
  void theServersAnswerIsOneOfFour(int code, Answer answer) throws IOException {
    try (ScriptedServer server =
            new ScriptedServer(
                call -> code == 0 ? ScriptedServer.dropped() : ScriptedServer.json(code, "{}"));
        HttpClients http = server.client()) {
      KubeEvictions evictions = new KubeEvictions(overlay, http.calls());

      assertThat(evictions.evict(new PodRef("team", "p", "pod-uid"))).isEqualTo(answer);
      assertThat(server.calls()).hasSize(1);
      ScriptedServer.Call call = server.calls().get(0);
      assertThat(call.method() + " " + call.path())
          .isEqualTo("POST /api/v1/namespaces/team/pods/p/eviction");
      assertThat(call.body())
          .isEqualTo(
              "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\","
                  + "\"metadata\":{\"namespace\":\"team\",\"name\":\"p\"},"
                  + "\"deleteOptions\":{\"preconditions\":{\"uid\":\"pod-uid\"}}}");
    }
  }
}
