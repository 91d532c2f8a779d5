package io.gpudra.controller.kube;

import static io.gpudra.controller.client.ScriptedServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableList;
import com.google.gson.Gson;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.ScriptedServer;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.kube.mapping.CachedQuota;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.quota.QuotaLimit;
import io.gpudra.controller.quota.status.StoredQuota;
import io.gpudra.crds.api.quota.GpuQuota;
import io.gpudra.crds.api.quota.GpuQuotaStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What of quotas is kept, and what their status looks like on the wire. */
class KubeQuotasTest {
  private static final GpuQuotaStatus STATUS =
      new GpuQuotaStatus(new GpuQuotaStatus.Used("2", "80Gi"), 1, null);

  private final List<String> told = new ArrayList<>();
  private ScriptedServer server;
  private HttpClients http;
  private KubeQuotas quotas;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer(call -> json(200, "{}"));
    http = server.client();
    quotas = new KubeQuotas(new StatusCalls(http.calls(), "gpu.example.com", () -> true));
    quotas.setListener((namespace, limits) -> told.add(namespace + " " + names(limits)));
  }

  private static List<String> names(ImmutableList<QuotaLimit> limits) {
    return limits.stream().map(QuotaLimit::name).toList();
  }

  @AfterEach
  void stop() {
    http.close();
    server.close();
  }

  private static CachedQuota quota(String rest) {
    String json = "{'spec':{'hard':{'gpus':2}%s".formatted(rest);
    return CachedQuota.of(new Gson().fromJson(json, GpuQuota.class));
  }

  private Kept<CachedQuota> put(String key, String rest) {
    Kept<CachedQuota> kept = new Kept<>(key, "uid of " + key, "5", quota(rest));
    quotas.cache().put(kept);
    quotas.listening().changed(kept);
    return kept;
  }

  private List<String> takeTold() {
    List<String> all = List.copyOf(told);
    told.clear();
    return all;
  }

  @Test
  void theLimitsOfANamespaceAreToldTogetherInOneOrder() {
    put("ns/b", "}}");
    put("ns/a", "}}");
    Kept<CachedQuota> other = put("ns2/c", "}}");
    assertThat(takeTold()).containsExactly("ns [b]", "ns [a, b]", "ns2 [c]");
    quotas.cache().remove(other);
    quotas.listening().gone(other);
    assertThat(takeTold()).containsExactly("ns2 []");
  }

  @Test
  void ofManyQuotasTheFirstByNameAreTold() {
    IntStream.range(100, 100 + 2 * QuotaLimit.MAX_LISTED).forEach(i -> put("ns/q" + i, "}}"));
    assertThat(takeTold()).hasSize(QuotaLimit.MAX_LISTED);
    put("ns/first", "}}");
    assertThat(takeTold()).singleElement().asString().startsWith("ns [first, q100, ");
  }

  @Test
  void ourOwnWriteTellsNothing() {
    put("ns/a", "}}");
    takeTold();
    put("ns/a", "},'status':{'waitingClaims':1}}");
    assertThat(takeTold()).isEmpty();
    put("ns/a", ",'resourceClassNames':['gpu']}}");
    assertThat(takeTold()).containsExactly("ns [a]");
  }

  @Test
  void aQuotaThatCannotBeReadIsRejectedWithItsProblems() {
    assertThatThrownBy(() -> quota(",'resourceClassNames':['a','a']}}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("spec.resourceClassNames[1]: Duplicate value: \"a\"");
  }

  @Test
  void theStatusOfAQuotaThatCannotBeReadIsLeftAlone() {
    put("ns/a", "},'status':{'waitingClaims':1}}");
    assertThat(quotas.all())
        .containsExactly(
            new StoredQuota(
                new ObjectKey("ns", "a"),
                "uid of ns/a",
                Optional.of(new GpuQuotaStatus(null, 1, null))));
    quotas.cache().unreadable("ns/a", "spec is no object");
    assertThat(quotas.all()).isEmpty();
  }

  @Test
  void appliesTheStatusToThisVeryQuota() {
    StoredQuota seen = new StoredQuota(new ObjectKey("ns", "a"), "u1", Optional.empty());

    assertThat(quotas.write(seen, STATUS)).isEqualTo(Kind.DONE);
    assertThat(server.calls().get(0).path())
        .isEqualTo("/apis/gpu.resource.example.com/v1alpha1/namespaces/ns/gpuquotas/a/status");
    assertThat(server.calls().get(0).body())
        .isEqualTo(
            "{\"apiVersion\":\"gpu.resource.example.com/v1alpha1\",\"kind\":\"GpuQuota\","
                + "\"metadata\":{\"name\":\"a\",\"uid\":\"u1\",\"namespace\":\"ns\"},"
                + "\"status\":{\"used\":{\"gpus\":\"2\",\"memory\":\"80Gi\"},"
                + "\"waitingClaims\":1}}");
  }
}
