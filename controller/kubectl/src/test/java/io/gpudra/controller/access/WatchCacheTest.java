package io.gpudra.controller.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.watch.RefusedException;
import io.gpudra.controller.gate.MemberFacts;
import io.gpudra.controller.kube.ForbiddenKind;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.kube.mapping.ResourceKinds;
import io.gpudra.controller.kube.source.ObjectSource;
import io.gpudra.controller.kube.testing.Cluster;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import okhttp3.mockwebserver.Dispatcher;
import okhttp3.mockwebserver.MockResponse;
import okhttp3.mockwebserver.MockWebServer;
import okhttp3.mockwebserver.RecordedRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Readings from watches, beside readings from the server. */
class WatchCacheTest {
  private static final KubeSettings SETTINGS =
      new KubeSettings(Cluster.DRIVER, 30, Clock.fixed(Instant.EPOCH, ZoneOffset.UTC));

  private final Semaphore changes = new Semaphore(0);
  private Cluster cluster;
  private HttpClients http;
  private WatchCache watches;

  @BeforeEach
  void start() throws IOException {
    cluster = new Cluster();
    http = client(cluster.server.url().toString());
    watches = new WatchCache(http, changes::release);
  }

  @AfterEach
  void stop() {
    watches.close();
    http.close();
    cluster.close();
  }

  private static HttpClients client(String url) {
    return HttpClients.plain(url, Duration.ofSeconds(4), new MetricRegistry());
  }

  private void addClass(String name) {
    cluster.objects.create(
        Resource.CLASSES,
        Json.parse(
            """
            {"apiVersion":"resource.k8s.io/v1alpha2","kind":"ResourceClass",
             "metadata":{"name":"%s"},"driverName":"%s"}\
            """
                .formatted(name, Cluster.DRIVER)));
  }

  private ClusterView sight(ObjectSource source) throws IOException {
    return ClusterView.of(source, SETTINGS, "default");
  }

  @Test
  void aReadingFromWatchesIsTheSameAsOneFromTheServer() throws IOException {
    cluster.addNode("worker-1");
    cluster.claimImmediately("train");
    cluster.addPod("user", "");

    assertThat(sight(watches)).isEqualTo(sight(ObjectSource.listing(http)));
  }

  @Test
  void finishedMembersOfGroupsAreReadWithTheirOwners() throws IOException {
    finished("member", ",\"labels\":{\"" + Cluster.DRIVER + "/group\":\"g\"}");
    finished("alone", "");

    ClusterView read = sight(ObjectSource.listing(http));

    assertThat(read.pods()).isEmpty();
    assertThat(read.finishedMembers())
        .extracting(PodView::member)
        .extracting(MemberFacts::owner, MemberFacts::phase)
        .containsExactly(tuple(Optional.of("job"), MemberFacts.Phase.SUCCEEDED));
  }

  private void finished(String name, String labels) {
    ObjectNode pod =
        cluster.objects.create(
            Resource.PODS,
            Json.parse(
                """
                {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"%s",
                  "ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"job",
                   "controller":true}]%s},
                 "spec":{"containers":[{"name":"c","image":"i"}]}}\
                """
                    .formatted(name, labels)));
    pod.withObjectProperty("status").put("phase", "Succeeded");
    cluster.objects.updateStatus(Resource.PODS, pod);
  }

  @Test
  void furtherReadingsAskTheServerNothing() throws IOException {
    sight(watches);
    cluster.server.requests().clear();

    sight(watches);

    assertThat(cluster.server.requests().count(one -> one.verb().equals("list"))).isZero();
  }

  @Test
  void aChangeIsToldAndThenRead() throws Exception {
    assertThat(watches.all(ResourceKinds.classes(), bad -> {})).containsOnlyKeys("gpu");

    addClass("other");

    while (watches.all(ResourceKinds.classes(), bad -> {}).size() == 1) {
      assertThat(changes.tryAcquire(60, TimeUnit.SECONDS)).as("told of a change").isTrue();
    }
    assertThat(watches.all(ResourceKinds.classes(), bad -> {})).containsOnlyKeys("gpu", "other");
  }

  @Test
  void whatTheCallerMayNotReadIsWithheldAsInAList() throws IOException {
    try (MockWebServer refusing = new MockWebServer()) {
      refusing.setDispatcher(new Refusing());
      refusing.start();
      try (HttpClients limited = client(refusing.url("/").toString().replaceFirst("/$", ""));
          WatchCache theirs = new WatchCache(limited, changes::release)) {
        assertThatThrownBy(() -> theirs.all(ResourceKinds.nodes(), bad -> {}))
            .isInstanceOf(RefusedException.class);
        int asked = refusing.getRequestCount();

        assertThat(sight(theirs).withheld()).extracting(ForbiddenKind::resource).contains("nodes");
        assertThat(sight(theirs).withheld())
            .isEqualTo(sight(ObjectSource.listing(limited)).withheld());
        assertThat(refusing.getRequestCount()).as("refusals are remembered").isLessThan(asked + 40);
      }
    }
  }

  /** Nothing is served to this caller. */
  private static final class Refusing extends Dispatcher {
    @Override
    public MockResponse dispatch(RecordedRequest request) {
      return new MockResponse().setResponseCode(403).setBody("{}");
    }
  }
}
