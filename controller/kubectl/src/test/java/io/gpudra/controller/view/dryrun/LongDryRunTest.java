package io.gpudra.controller.view.dryrun;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.access.ClusterView;
import io.gpudra.controller.access.ClusterViews;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.manifest.ManifestDocument;
import io.gpudra.controller.manifest.ManifestReader;
import io.gpudra.controller.manifest.ManifestSet;
import io.gpudra.controller.view.UserView;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Files that take longer to try than a person waits. */
class LongDryRunTest {
  private static final String DEPLOYMENT =
      """
      {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},
       "spec":{"replicas":8000,"template":{"spec":{}}}}\
      """;
  private static final String CLAIM =
      """
      {"apiVersion":"resource.k8s.io/v1alpha2","kind":"ResourceClaim","metadata":{"name":"now"},
       "spec":{"resourceClassName":"%s","allocationMode":"Immediate"}}\
      """
          .formatted(SmallCluster.CLASS);

  private static ImmutableList<DryRunResult> rehearsed(LongSupplier nanoTime, String... objects) {
    KubeSettings settings =
        new KubeSettings(SmallCluster.DRIVER, 30, Clock.fixed(SmallCluster.NOW, ZoneOffset.UTC));
    ManifestSet manifestSet =
        ManifestReader.read(
            Stream.of(objects).map(json -> new ManifestDocument("file", json)).toList(),
            settings,
            SmallCluster.TEAM);
    ClusterView sight =
        ClusterViews.of(new SmallCluster().node("worker-1", 2).reading(), ImmutableList.of());
    return DryRun.of(
        UserView.of(sight, SmallCluster.DRIVER, SmallCluster.NOW),
        manifestSet,
        ImmutableMap.of(),
        nanoTime);
  }

  @Test
  void podsThatThereIsNoTimeForAreSaidToBeUntried() {
    AtomicInteger looks = new AtomicInteger();
    long tenth = Duration.ofMillis(100).toNanos();

    DryRunResult stopped = rehearsed(() -> looks.getAndIncrement() * tenth, DEPLOYMENT).get(0);

    assertThat(stopped.placed()).hasSizeBetween(50, 100);
    assertThat(stopped.placed().size() + stopped.untried()).isEqualTo(8_000);
    assertThat(stopped.waiting()).isEmpty();
    assertThat(stopped.fits()).isFalse();
    assertThat(rehearsed(() -> 0, DEPLOYMENT).get(0).fits()).isTrue();
  }

  @Test
  void aClaimThatThereIsNoTimeForIsSaidToBeUntried() {
    AtomicInteger looks = new AtomicInteger();
    long minute = Duration.ofMinutes(1).toNanos();

    assertThat(rehearsed(() -> looks.getAndIncrement() * minute, CLAIM))
        .singleElement()
        .returns(1, DryRunResult::untried)
        .returns(false, DryRunResult::fits);
    assertThat(rehearsed(() -> 0, CLAIM)).singleElement().returns(true, DryRunResult::fits);
  }
}
