package io.gpudra.kubeletplugin.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.kubeletplugin.prepare.ClaimPreparer;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.testing.FakeApi;
import io.gpudra.kubeletplugin.testing.FakeNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveClaimsTest {

  private static final String CLAIM =
      "/apis/resource.k8s.io/v1alpha2/namespaces/team-a/resourceclaims/claim-of-u1";
  private static final Instant NOW = Instant.parse("2026-11-21T08:00:00Z");

  @TempDir Path directory = Path.of("");

  @Test
  void reportsWhatIsGoneOrAnotherAndNothingThatIsUnclear() throws IOException {
    try (FakeApi api = new FakeApi()) {
      FakeNode node = new FakeNode(directory);
      ClaimPreparer preparer = node.start();
      preparer.prepare(node.request("u1", 0), PrepareCall.withoutDeadline());
      LiveClaims live =
          new LiveClaims(
              new ClaimReader(
                  KubeApi.open(Optional.of(api.kubeconfig(directory))), FakeNode.DRIVER),
              preparer,
              Clock.fixed(NOW, ZoneOffset.UTC));

      api.put(CLAIM, "u1");
      live.checkOnce();
      assertThat(orphanedSince(preparer)).as("exists").isEmpty();
      api.remove(CLAIM);
      api.failNext(1);
      live.checkOnce();
      assertThat(orphanedSince(preparer)).as("unclear").isEmpty();
      live.checkOnce();
      assertThat(orphanedSince(preparer)).as("gone").contains(NOW);
      api.put(CLAIM, "u1");
      live.checkOnce();
      assertThat(orphanedSince(preparer)).as("there again").isEmpty();
      api.put(CLAIM, "u2");
      live.checkOnce();
      assertThat(orphanedSince(preparer)).as("another of its name").contains(NOW);
      assertThat(node.ready()).as("its devices stay").hasSize(1);
    }
  }

  @Test
  void aServerThatDoesNotAnswerIsAskedOnceARound() {
    FakeNode node = new FakeNode(directory);
    ClaimPreparer preparer = node.start();
    preparer.prepare(node.request("u1", 0), PrepareCall.withoutDeadline());
    preparer.prepare(node.request("u2", 1), PrepareCall.withoutDeadline());
    LiveClaims live = new LiveClaims(node.grants, preparer, Clock.fixed(NOW, ZoneOffset.UTC));

    node.grants.away = true;
    live.checkOnce();
    assertThat(node.grants.asked).hasSize(1);
    node.grants.away = false;
    live.checkOnce();
    assertThat(node.grants.asked).hasSize(3);
  }

  private static Optional<Instant> orphanedSince(ClaimPreparer preparer) {
    return preparer.held().get(0).orphanedSince();
  }
}
