package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.testing.FakeNode.PATIENT;
import static io.gpudra.kubeletplugin.testing.FakeNode.ref;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process dies at each point where it touches the node, then another one starts. */
class CrashTest {

  private static final ClaimUid U1 = new ClaimUid("u1");
  private static final Ready ANSWER =
      new Ready(ImmutableList.of("k8s.gpu.resource.example.com/claim=claim-u1"));

  /** What is done until the process dies. */
  private interface Work {
    void run(ClaimPreparer preparer);
  }

  @TempDir Path directory = Path.of("");

  /** Whether the work was interrupted; the second is false when the point lies behind its end. */
  private boolean dies(FakeNode node, int point, Work work) throws IOException {
    Faults faults = new Faults();
    ClaimPreparer preparer = node.start(faults, PATIENT);
    faults.dieAt(point);
    try {
      work.run(preparer);
    } catch (Faults.Death e) {
      return true;
    }
    return faults.dead();
  }

  private static void assertWhole(FakeNode node, ClaimPreparer preparer) throws IOException {
    ImmutableList<PreparedClaim> held = preparer.held();
    assertThat(node.specs())
        .containsExactlyInAnyOrderElementsOf(held.stream().map(PreparedClaim::uid).toList());
    assertThat(node.ready())
        .containsExactlyInAnyOrderElementsOf(
            held.stream().flatMap(claim -> claim.deviceUuids().stream()).toList());
  }

  @Test
  void aPrepareThatDiesLeavesNothingHalfDone() throws IOException {
    int point = 0;
    for (; ; point++) {
      FakeNode node = new FakeNode(directory.resolve("prepare-" + point));
      Files.createDirectories(node.cdi);
      if (!dies(
          node, point, p -> p.prepare(node.request("u1", 0, 1), PrepareCall.withoutDeadline()))) {
        break;
      }
      ClaimPreparer next = node.start();
      assertWhole(node, next);
      assertThat(next.prepare(node.request("u1", 0, 1), PrepareCall.withoutDeadline()))
          .isEqualTo(ANSWER);
      assertThat(next.unprepare(U1, ref("u1"), PrepareCall.withoutDeadline())).isEmpty();
      assertThat(node.start().held()).isEmpty();
      assertWhole(node, next);
    }
    assertThat(point).as("points before the end").isEqualTo(10);
  }

  @Test
  void anUnprepareThatDiesIsFinishedByItsRepetition() throws IOException {
    int point = 0;
    for (; ; point++) {
      FakeNode node = new FakeNode(directory.resolve("unprepare-" + point));
      Files.createDirectories(node.cdi);
      node.start().prepare(node.request("u1", 0, 1), PrepareCall.withoutDeadline());
      if (!dies(node, point, p -> p.unprepare(U1, ref("u1"), PrepareCall.withoutDeadline()))) {
        break;
      }
      ClaimPreparer next = node.start();
      assertWhole(node, next);
      assertThat(next.unprepare(U1, ref("u1"), PrepareCall.withoutDeadline())).isEmpty();
      assertThat(next.held()).isEmpty();
      assertWhole(node, next);
    }
    assertThat(point).as("points before the end").isEqualTo(8);
  }

  @Test
  void aStartThatDiesIsFinishedByTheNext() throws IOException {
    for (int point = 0; ; point++) {
      FakeNode node = new FakeNode(directory.resolve("start-" + point));
      Files.createDirectories(node.cdi);
      assertThat(
              dies(
                  node, 6, p -> p.prepare(node.request("u1", 0, 1), PrepareCall.withoutDeadline())))
          .isTrue();
      Faults faults = new Faults();
      faults.dieAt(point);
      try {
        node.start(faults, PATIENT);
        break;
      } catch (Faults.Death e) {
        ClaimPreparer next = node.start();
        assertThat(next.held()).isEmpty();
        assertWhole(node, next);
      }
    }
  }

  @Test
  void aResetAfterABootThatDiesIsFinishedByTheNext() throws IOException {
    for (int point = 0; ; point++) {
      FakeNode node = new FakeNode(directory.resolve("boot-" + point));
      Files.createDirectories(node.cdi);
      node.start().prepare(node.request("u1", 0), PrepareCall.withoutDeadline());
      node.bootId = "boot-2";
      Faults faults = new Faults();
      faults.dieAt(point);
      try {
        node.start(faults, PATIENT);
        break;
      } catch (Faults.Death e) {
        ClaimPreparer next = node.start();
        assertThat(next.held()).isEmpty();
        assertWhole(node, next);
      }
    }
  }
}
