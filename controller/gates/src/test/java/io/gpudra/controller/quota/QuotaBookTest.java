package io.gpudra.controller.quota;

import static io.gpudra.controller.quota.QuotaWorld.GIB;
import static io.gpudra.controller.quota.QuotaWorld.OWNER;
import static io.gpudra.controller.quota.QuotaWorld.gpu;
import static io.gpudra.controller.quota.QuotaWorld.grant;
import static io.gpudra.controller.quota.QuotaWorld.limit;
import static io.gpudra.controller.quota.QuotaWorld.pod;
import static io.gpudra.controller.quota.QuotaWorld.ref;
import static io.gpudra.controller.quota.QuotaWorld.uid;
import static io.gpudra.controller.quota.QuotaWorld.wants;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.CommitGuard;
import io.gpudra.controller.allocation.CommitResult;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class QuotaBookTest {
  private final QuotaWorld world = new QuotaWorld("n0", "n1");

  private static QuotaCharge gpus(int count) {
    return new QuotaCharge(1000L * count, 40 * GIB * count);
  }

  @Test
  void aNamespaceHoldsNoMoreThanItsQuotaAllows() {
    world.quotas(limit("gpus", "2", null));

    assertThat(world.grants(wants("a", 1), wants("b", 1))).isTrue();
    assertThat(world.limits(wants("c", 1))).containsExactly("gpus");
    assertThat(world.grants(wants("other/c", 4))).isTrue();
    assertThat(world.used("gpus")).isEqualTo(gpus(2));
  }

  @Test
  void aRefusalHasTheFiguresOfWhatIsExceeded() {
    world.hold("a", "n0", 0, 1);
    world.quotas(limit("gpus", "2", "200Gi"));

    assertThat(text(world.commit(wants("b", 1))))
        .isEqualTo("quota \"gpus\": gpus 2 of 2 in use, 1 more wanted");
    world.quotas(limit("gpus", "2500m", "100Gi"));
    assertThat(text(world.commit(wants("b", 1))))
        .isEqualTo("quota \"gpus\": gpus 2 of 2500m in use, 1 more wanted");
    world.quotas(limit("memory", null, "100Gi"));
    assertThat(text(world.commit(wants("b", 1))))
        .isEqualTo("quota \"memory\": memory 80Gi of 100Gi in use, 40Gi more wanted");
    world.quotas(limit("both", "2", "100Gi"));
    assertThat(text(world.commit(wants("b", new DeviceKind.Share(30 * GIB, 100, 100)))))
        .isEqualTo(
            "quota \"both\": gpus 2 of 2 in use, 100m more wanted; memory 80Gi of 100Gi in use,"
                + " 30Gi more wanted");
  }

  private static String text(CommitResult refused) {
    return ((CommitResult.Limited) refused).why().text(new NamespaceAudience(QuotaWorld.TEAM));
  }

  @Test
  void everyQuotaOfANamespaceMustHold() {
    world.quotas(limit("large", "4", null), limit("small", "1", null), limit("none", "0", null));

    assertThat(world.limits(wants("a", 2))).containsExactly("small", "none");
  }

  private static QuotaLimit[] many(int quotas) {
    return IntStream.range(0, quotas)
        .mapToObj(i -> limit("q%03d".formatted(i), "100", null))
        .toArray(QuotaLimit[]::new);
  }

  @Test
  void ofManyQuotasNoneIsLeftOutAndFewAreCompared() {
    world.quotas(many(32));
    assertThat(world.grants(wants("a", 1))).isTrue();

    world.quotas(many(500));
    assertThat(world.limits(wants("b", 1))).containsExactly("q032");
    assertThat(text(world.commit(wants("b", 1))))
        .isEqualTo("quota \"q032\": a namespace has at most 32 quotas, and gets nothing with more");
    assertThat(world.grants(wants("a", 1))).as("it has it already").isTrue();
    assertThat(world.grants(wants("m", new DeviceKind.MonitorAccess()))).isTrue();
    assertThat(world.book.uses(QuotaWorld.TEAM)).hasSize(33);
  }

  @Test
  void aQuotaOfZeroLetsOnlyMonitorsPass() {
    world.quotas(limit("none", "0", null));

    assertThat(world.limits(wants("a", 1))).containsExactly("none");
    assertThat(world.limits(wants("a", new DeviceKind.Share(GIB, 0, 100)))).containsExactly("none");
    assertThat(world.grants(wants("m", new DeviceKind.MonitorAccess()))).isTrue();
  }

  @Test
  void aQuotaCountsTheClaimsOfItsClasses() {
    world.classes.put(uid("other"), Optional.of("another"));
    world.hold("other", "n0", 0);
    world.hold("own", "n0", 1);
    world.quotas(limit("own", "4", null, QuotaWorld.CLASS), limit("foreign", "4", null, "absent"));

    assertThat(world.used("own")).isEqualTo(gpus(1));
    assertThat(world.used("foreign")).isEqualTo(QuotaCharge.NONE);
  }

  @Test
  void aClaimOfAnUnknownClassCountsForEveryQuotaUntilItIsKnown() {
    world.classes.put(uid("a"), Optional.empty());
    world.quotas(limit("own", "4", null, QuotaWorld.CLASS), limit("foreign", "4", null, "absent"));
    world.hold("a", "n0", 0);
    assertThat(world.used("foreign")).isEqualTo(gpus(1));

    world.classes.remove(uid("a"));
    world.hold("a", "n0", 1);
    assertThat(world.used("foreign")).isEqualTo(QuotaCharge.NONE);
    assertThat(world.used("own")).isEqualTo(gpus(1));
  }

  @Test
  void theClassOfAClaimThatHoldsIsRemembered() {
    world.quotas(limit("own", "4", null, QuotaWorld.CLASS));
    world.hold("a", "n0", 0);
    world.classes.put(uid("a"), Optional.empty());
    world.hold("a", "n0", 0, 1);

    assertThat(world.used("own")).isEqualTo(gpus(2));
    world.gone("a");
    assertThat(world.used("own")).isEqualTo(QuotaCharge.NONE);
  }

  @Test
  void whatIsBeingWrittenCounts() {
    world.quotas(limit("gpus", "1", null));

    assertThat(world.grants(wants("a", 1))).isTrue();
    assertThat(world.limits(wants("b", 1))).containsExactly("gpus");
    world.ledgers.release(uid("a"), OWNER);
    assertThat(world.grants(wants("b", 1))).isTrue();
  }

  @Test
  void aCommitThatHoldsAlreadyPassesWhateverTheQuota() {
    CommitResult first = world.commit(wants("a", 2, 1));
    world.quotas(limit("gpus", "0", null));

    assertThat(world.commit(wants("a", 2, 1))).isEqualTo(first);
    assertThat(world.book.before(pod(wants("a", 2, 1))))
        .isEqualTo(new CommitGuard.Before.GoOn(pod(wants("a", 2, 1))));
  }

  @Test
  void aLoweredQuotaTakesNothingAwayAndGivesNothing() {
    world.hold("a", "n0", 0, 1);
    world.quotas(limit("gpus", "1", null));

    assertThat(world.book.uses(QuotaWorld.TEAM).get(0).exceeded()).isTrue();
    assertThat(world.limits(wants("b", 1))).containsExactly("gpus");
    world.quotas(limit("gpus", "3", null));
    assertThat(world.book.uses(QuotaWorld.TEAM).get(0).exceeded()).isFalse();
    assertThat(world.grants(wants("b", 1))).isTrue();
    world.quotas();
    assertThat(world.book.uses(QuotaWorld.TEAM)).isEmpty();
    assertThat(world.grants(wants("c", 4))).isTrue();
  }

  @Test
  void ofAlternativesTheFirstThatIsAllowedIsTaken() {
    world.quotas(limit("gpus", "3", null));

    assertThat(world.grants(wants("b", 4, 2, 1))).isTrue();
    assertThat(world.used("gpus")).isEqualTo(gpus(2));
  }

  @Test
  void theLeastThatAPodNeedsIsComparedBeforeASearch() {
    world.hold("a", "n0", 0);
    world.quotas(limit("gpus", "3", null));

    assertThat(world.book.before(pod(wants("b", 2, 1), wants("c", 2, 1))))
        .isEqualTo(new CommitGuard.Before.GoOn(pod(wants("b", 1), wants("c", 1))));
    assertThat(world.book.before(pod(wants("b", 1), wants("c", 2))))
        .isInstanceOf(CommitGuard.Before.Limited.class);
    assertThat(world.book.before(pod(wants("other/b", 4))))
        .isEqualTo(new CommitGuard.Before.GoOn(pod(wants("other/b", 4))));
  }

  @Test
  void claimsOnSeveralNodesAreAskedForTogether() {
    world.quotas(limit("gpus", "2", null));

    CommitResult all =
        world.ledgers.commitAll(
            ImmutableMap.of("n0", pod(wants("a", 2)), "n1", pod(wants("b", 1))),
            OWNER,
            QuotaWorld.AUDIT);

    assertThat(all).isInstanceOf(CommitResult.Limited.class);
    assertThat(world.used("gpus")).isEqualTo(QuotaCharge.NONE);
  }

  @Test
  void aPartThatLosesWhatContainsItCountsByItself() {
    world.quotas(limit("gpus", "4", null));
    Part.Slice slice = GpuModels.slice(GpuModels.A100, "3g.20gb", 0);
    GrantedPart inner = GrantFixture.inside(uid("outer"), GrantFixture.part(gpu("n0", 0), slice));
    world.observe("inner", grant("inner", "n0", inner));
    world.hold("outer", "n0", 0);
    assertThat(world.used("gpus")).isEqualTo(gpus(1));

    world.gone("outer");
    assertThat(world.used("gpus")).isEqualTo(new QuotaCharge(500, 20 * GIB));
  }

  @Test
  void aGpuThatIsLostCountsAsTheLargestThatWasSeen() {
    world.quotas(limit("gpus", "4", null));
    world.hold("a", "n0", 0);
    world.ledgers.observe(QuotaWorld.inventory("n0", 0));
    assertThat(world.used("gpus")).isEqualTo(gpus(1));

    world.ledgers.observeUnreadable(
        uid("b"), "n1", new NodeLedger.Unreadable(ref("b"), "not JSON"));
    assertThat(world.used("gpus")).isEqualTo(gpus(2));
    world.ledgers.nodeGone("n1");
    assertThat(world.used("gpus")).isEqualTo(gpus(2));
  }

  /** The namespaces of the claims that are counted again after this report. */
  private List<String> counted(NodeFixture report) {
    NodeLedger before = world.ledgers.ledger("n0");
    List<String> counted = new ArrayList<>();
    long claims =
        new LedgerDifference(before, before.with(report.inventory()))
            .counted(
                namespace -> {
                  counted.add(namespace);
                  return null;
                })
            .count();
    assertThat(claims).isZero();
    return counted;
  }

  private static Gpu smaller(Gpu gpu) {
    return new Gpu.Builder(gpu.uuid(), gpu.index(), gpu.model(), GIB).build();
  }

  @Test
  void aReportCountsTheClaimsOnGpusOfAnotherSizeAgain() {
    world.hold("one/a", "n0", 0);
    world.hold("two/b", "n0", 1);
    NodeFixture node = NodeFixture.like(QuotaWorld.inventory("n0", 4));

    assertThat(counted(node.each(gpu -> gpu.toBuilder().pcieBusId("0000:ff:00.0").build())))
        .isEmpty();
    assertThat(counted(node.change(1, gpu -> smaller(gpu)))).containsExactly("two");
    assertThat(counted(NodeFixture.like(QuotaWorld.inventory("n0", 0))))
        .containsExactlyInAnyOrder("one", "two");
  }

  @Test
  void aNodeAloneCannotRaiseWhatGpusOfOthersCount() {
    world.quotas(limit("gpus", "4", null));
    world.ledgers.observe(
        NodeFixture.node("evil").gpus(1, GpuModels.model("Huge", 1 << 20)).inventory());
    world.hold("a", "n0", 0);
    world.ledgers.observe(QuotaWorld.inventory("n0", 0));

    assertThat(world.used("gpus")).isEqualTo(gpus(1));
  }

  @Test
  void theMemoryOfAGpuThatTwoNodesReportIsThatOfAGpuThatIsLost() {
    LargestGpus largest = new LargestGpus();
    largest.seen(reporting("a", 80));
    assertThat(largest.bytes()).isEqualTo(80 * GIB);
    largest.seen(reporting("b", 40));
    assertThat(largest.bytes()).isEqualTo(40 * GIB);
    largest.seen(reporting("a", 100));
    largest.seen(reporting("a", 90));
    assertThat(largest.bytes()).isEqualTo(40 * GIB);
    largest.seen(reporting("b", 96));
    largest.seen(reporting("c", 50));
    assertThat(largest.bytes()).isEqualTo(96 * GIB);
  }

  private static NodeLedger reporting(String node, int gib) {
    return NodeLedger.of(NodeFixture.node(node).gpus(1, GpuModels.model("Some", gib)).inventory());
  }

  @Test
  void eachClaimOfAPodIsLookedAtOnceHoweverManyItHas() {
    AtomicInteger looks = new AtomicInteger();
    ClaimRequest[] claims =
        IntStream.range(0, 64).mapToObj(i -> wants("c" + i, 4, 2, 1)).toArray(ClaimRequest[]::new);
    new PossibleRequest(
            pod(claims),
            new NamespaceCharges(),
            (ref, claim) -> {
              looks.incrementAndGet();
              return Optional.of(QuotaWorld.CLASS);
            },
            /* largestBytes= */ 0)
        .before();

    assertThat(looks).hasValue(64);
  }

  @Test
  void aClaimThatIsGrantedTwiceCountsOnBothNodes() {
    world.quotas(limit("gpus", "4", null));
    world.commit(wants("a", 1));
    String other = world.ledgers.ledger("n0").holds().isEmpty() ? "n0" : "n1";
    world.hold("a", other, 0);

    assertThat(world.used("gpus")).isEqualTo(gpus(2));
  }
}
