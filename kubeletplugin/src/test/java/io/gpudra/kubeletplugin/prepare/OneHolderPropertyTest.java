package io.gpudra.kubeletplugin.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome.Ready;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever the kubelet asks and whenever the process dies, no device has two holders. */
class OneHolderPropertyTest {

  private static final ImmutableList<String> UIDS = ImmutableList.of("u1", "u2", "u3", "u4");

  private enum What {
    PREPARE,
    UNPREPARE,
    ABANDON,
    FAIL_NEXT,
    DIE_SOON
  }

  private record Act(What what, String uid, int gpu, int extra) {}

  @Provide
  Arbitrary<List<Act>> acts() {
    return Combinators.combine(
            Arbitraries.of(What.class),
            Arbitraries.of(UIDS),
            Arbitraries.integers().between(0, 2),
            Arbitraries.integers().between(0, 9))
        .as(Act::new)
        .list()
        .ofMinSize(5)
        .ofMaxSize(25);
  }

  @Property(tries = 80)
  void noTwoClaimsHoldOneDevice(@ForAll("acts") List<Act> acts) throws IOException {
    Path directory = Files.createTempDirectory("one-holder");
    try {
      run(new FakeNode(directory), acts);
    } finally {
      MoreFiles.deleteRecursively(directory, RecursiveDeleteOption.ALLOW_INSECURE);
    }
  }

  private static void run(FakeNode node, List<Act> acts) throws IOException {
    Run run = new Run(node);
    for (Act act : acts) {
      run.perform(act);
      assertNoDoubleHolder(run.preparer.held());
      assertUsableClaimsAreHeld(run);
    }
    run.restart();
    for (String uid : UIDS) {
      run.preparer.unprepare(new ClaimUid(uid), FakeNode.ref(uid), PrepareCall.withoutDeadline());
    }
    assertThat(run.preparer.held()).isEmpty();
    assertThat(node.ready()).isEmpty();
    assertThat(node.specs()).isEmpty();
  }

  private static void assertNoDoubleHolder(List<PreparedClaim> held) {
    assertThat(held.stream().flatMap(claim -> claim.deviceUuids().stream()))
        .doesNotHaveDuplicates();
  }

  /** A claim the kubelet was told is ready stays held until the kubelet gives it back. */
  private static void assertUsableClaimsAreHeld(Run run) {
    assertThat(run.preparer.held()).extracting(claim -> claim.uid().value()).containsAll(run.told);
  }

  private static final class Run {
    private final FakeNode node;
    private final Set<String> told = new HashSet<>();
    private Faults faults = new Faults();
    private ClaimPreparer preparer;

    Run(FakeNode node) throws IOException {
      this.node = node;
      this.preparer = node.start(faults, FakeNode.HASTY);
    }

    void restart() throws IOException {
      faults = new Faults();
      preparer = node.start(faults, FakeNode.HASTY);
    }

    void perform(Act act) throws IOException {
      try {
        step(act);
      } catch (Faults.Death e) {
        restart();
      }
    }

    private void step(Act act) {
      ClaimUid uid = new ClaimUid(act.uid());
      PrepareCall call = PrepareCall.withoutDeadline();
      switch (act.what()) {
        case PREPARE -> {
          if (preparer.prepare(node.request(act.uid(), act.gpu(), 7 - act.extra() % 4), call)
              instanceof Ready) {
            preparer.answered(ImmutableList.of(uid));
            told.add(act.uid());
          }
          faults.clear();
        }
        case UNPREPARE -> {
          // Until it succeeds the kubelet starts no container with it any more.
          told.remove(act.uid());
          preparer.unprepare(uid, FakeNode.ref(act.uid()), call);
          faults.clear();
        }
        case ABANDON -> {
          preparer.prepare(node.request(act.uid(), act.gpu()), call);
          call.cancel();
          preparer.abandoned(call, ImmutableList.of(uid));
        }
        case FAIL_NEXT ->
            faults.fail(
                List.of("setUp", "tearDown", "write", "remove", "save").get(act.extra() % 5));
        case DIE_SOON -> faults.dieAt(act.extra());
      }
    }
  }
}
