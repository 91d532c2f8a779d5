package io.gpudra.controller.gpu;

import static io.gpudra.controller.gpu.GpuSamples.claim;
import static io.gpudra.controller.gpu.GpuSamples.ofClaim;
import static io.gpudra.controller.gpu.GpuSamples.ofClass;
import static io.gpudra.controller.gpu.GpuSamples.resourceClass;
import static io.gpudra.controller.gpu.cel.DeviceSamples.A100;
import static io.gpudra.controller.gpu.cel.DeviceSamples.node;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.CommitGuard;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.PodUse;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.reason.UnsuitableReason.Kind;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.NamespaceSelector;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.WaitRank;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.NodeDemand;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The driver as the protocol sees it. */
class GpuDriverTest {

  private static final HoldOwner OWNER = new HoldOwner("pod a/b");
  private static final GrantAudit STAMP = new GrantAudit(3, Instant.parse("2026-11-21T08:00:00Z"));

  private final GpuSamples.Objects objects = new GpuSamples.Objects();
  private final GpuSamples.Alerts alerts = new GpuSamples.Alerts();
  private final Ledgers ledgers = new Ledgers();
  private final GpuDriver driver =
      new GpuDriver(DeviceSamples.DRIVER, objects, ledgers, () -> STAMP, alerts);

  @BeforeEach
  void twoNodes() {
    ledgers.observe(node("small", A100));
    ledgers.observe(node("large", A100, A100));
  }

  private PendingClaim<GpuRequest> pending(String name, int count) {
    objects.put(name, GpuClaimParametersSpec.of(count, "40Gi", null, false, null));
    ClaimFacts claim = claim(name, ofClaim(name));
    DriverParameters<GpuRequest> read = driver.parameters(resourceClass(Optional.empty()), claim);
    return new PendingClaim<>(
        claim,
        resourceClass(Optional.empty()),
        ((DriverParameters.Ready<GpuRequest>) read).value());
  }

  private Allocation allocate(NodeChoice where, PendingClaim<GpuRequest> claim) {
    return driver.allocate(ImmutableList.of(claim), where, OWNER);
  }

  private Allocation allocate(
      NodeChoice where, PendingClaim<GpuRequest> first, PendingClaim<GpuRequest> second) {
    return driver.allocate(ImmutableList.of(first, second), where, OWNER);
  }

  private static NodeChoice on(String node) {
    return new NodeChoice.OneNode(node);
  }

  private static ClaimUid uid(String claim) {
    return new ClaimUid("uid-of-" + claim);
  }

  private static ResourceHandle handle(Allocation allocation, String claim) {
    return requireNonNull(((Allocation.Held) allocation).handles().get(uid(claim)));
  }

  private static ImmutableMap<String, UnsuitableReason> unsuitable(
      NodeSuitability suitability, String claim) {
    return requireNonNull(suitability.unsuitable().get(uid(claim)));
  }

  @Test
  void theHandleIsTheGrant() {
    ResourceHandle handle = handle(allocate(on("large"), pending("a", 1)), "a");

    assertThat(handle)
        .isEqualTo(
            new ResourceHandle(
                "{\"v\":1,\"claim\":\"uid-of-a\",\"node\":\"large\",\"epoch\":3,\"generation\":5,"
                    + "\"at\":\"2026-11-21T08:00:00Z\","
                    + "\"devices\":[{\"name\":\"gpu-0\",\"uuid\":\"GPU-0\"}]}",
                Optional.of("large"),
                false));
  }

  private PendingClaim<GpuRequest> monitor(String name) {
    NamespaceSelector all = new NamespaceSelector(null, null);
    objects.namespaces.put(GpuSamples.NAMESPACE, ImmutableMap.of());
    objects.put(
        "monitors",
        new GpuClassParametersSpec(
            null, null, null, all, null, null, true, null, null, null, null, null, null, null));
    ClassFacts monitors = resourceClass(ofClass("monitors"));
    ClaimFacts claim = claim(name, Optional.empty());
    DriverParameters<GpuRequest> read = driver.parameters(monitors, claim);
    return new PendingClaim<>(
        claim, monitors, ((DriverParameters.Ready<GpuRequest>) read).value(), PodUse.NONE);
  }

  @Test
  void aMonitorHasAHandleWithoutDevicesOnANodeOfWhichAllIsTaken() {
    assertThat(handle(allocate(on("small"), pending("a", 1)), "a").node()).hasValue("small");

    assertThat(handle(allocate(on("small"), monitor("m")), "m").data())
        .isEqualTo(
            "{\"v\":2,\"claim\":\"uid-of-m\",\"node\":\"small\",\"epoch\":3,"
                + "\"at\":\"2026-11-21T08:00:00Z\",\"mode\":\"monitor\"}");
    ResourceHandle anywhere =
        handle(allocate(new NodeChoice.AnyNode(ImmutableSet::of), monitor("n")), "n");
    assertThat(anywhere.node()).isPresent();
    assertThat(anywhere.shareable()).isTrue();
    assertThat(handle(allocate(on("large"), pending("b", 2)), "b").node()).hasValue("large");
  }

  @Test
  void aRequestWaitsLikeItsPodAndWithoutOneSinceTheClaimWasMade() {
    PendingClaim<GpuRequest> alone = pending("a", 1);
    WaitRank rank = new WaitRank(9, Instant.EPOCH);
    PodUse use = new PodUse(ImmutableList.of(), ImmutableList.of(), rank);

    assertThat(GpuDriver.request(ImmutableList.of(alone)).rank())
        .isEqualTo(new WaitRank(0, alone.claim().created()));
    assertThat(
            GpuDriver.request(
                    ImmutableList.of(
                        new PendingClaim<>(
                            alone.claim(), alone.resourceClass(), alone.parameters(), use)))
                .rank())
        .isEqualTo(rank);
  }

  @Test
  void aLimitThatIsReachedIsNoRefusalOfNodes() {
    CommitGuard.Limit limit =
        new CommitGuard.Limit(StatedReason.of(Kind.CLASS_LIMIT), ImmutableSet.of("quota"));
    Ledgers limited =
        new Ledgers(
            new CommitGuard() {
              @Override
              public Before before(PodRequest request) {
                return new Before.Limited(limit);
              }

              @Override
              public Optional<Limit> ask(
                  ImmutableList<NodeLedger> seen, ImmutableList<NodeLedger> next) {
                return Optional.empty();
              }

              @Override
              public void changed(NodeLedger before, NodeLedger after) {}
            });

    assertThat(
            new GpuDriver(DeviceSamples.DRIVER, objects, limited, () -> STAMP, alerts)
                .allocate(ImmutableList.of(pending("a", 1)), on("small"), OWNER))
        .isEqualTo(new Allocation.Limited(limit.why(), limit.limits()));
  }

  @Test
  void aPodIsGrantedANodeThatFitsItsDemand() {
    NodeDemand demand =
        new NodeDemand(Optional.empty(), ImmutableList.of(), ImmutableMap.of("cpu", 1L));
    NodeChoice fitting =
        new NodeChoice.Fitting(demand, Optional.empty(), () -> ImmutableSet.of("small"));
    Allocation refused = allocate(fitting, pending("a", 1));

    assertThat(unsuitable(((Allocation.Refused) refused).why(), "a").get("large"))
        .isEqualTo(StatedReason.of(Kind.NODE_TOO_SMALL));
  }

  @Test
  void suitabilityJudgesTheClaimsOfAPodTogether() {
    NodeSuitability suitability =
        driver.suitability(
            ImmutableList.of(pending("a", 1), pending("b", 1)),
            ImmutableSet.of("small", "large", "unknown"));

    assertThat(unsuitable(suitability, "a")).containsOnlyKeys("small", "unknown");
    assertThat(unsuitable(suitability, "b")).containsOnlyKeys("small", "unknown");
    assertThat(requireNonNull(unsuitable(suitability, "b").get("small")).kind().label())
        .isEqualTo("notTogether");
  }

  @Test
  void aClaimThatFitsEverywhereHasAnEmptyAnswer() {
    NodeSuitability suitability =
        driver.suitability(ImmutableList.of(pending("a", 1)), ImmutableSet.of("small"));

    assertThat(suitability.unsuitable()).isEqualTo(ImmutableMap.of(uid("a"), ImmutableMap.of()));
  }

  @Test
  void whyAPodWaitsIsToldOfTheNodeAsItIsByThen() {
    allocate(on("small"), pending("a", 1));
    NodeSuitability suitability =
        driver.suitability(ImmutableList.of(pending("b", 1)), ImmutableSet.of("small"));
    driver.release(uid("a"), OWNER);

    assertThat(
            requireNonNull(unsuitable(suitability, "b").get("small"))
                .text(new NamespaceAudience("a")))
        .isEqualTo("has room by now");
  }

  @Test
  void allocationIsForAllClaimsOrNone() {
    assertThat(allocate(on("large"), pending("a", 2), pending("b", 1)))
        .isInstanceOf(Allocation.Refused.class);
    assertThat(ledgers.ledger("large").occupied()).isEmpty();
    Allocation held = allocate(on("large"), pending("a", 1), pending("b", 1));

    assertThat(Stream.of(handle(held, "a"), handle(held, "b")).map(ResourceHandle::data))
        .doesNotHaveDuplicates();
  }

  @Test
  void theSameQuestionByTheSameOwnerHasTheSameAnswer() {
    Allocation first = allocate(on("large"), pending("a", 1));

    assertThat(allocate(on("large"), pending("a", 1))).isEqualTo(first);
    assertThat(allocate(on("small"), pending("a", 1))).isInstanceOf(Allocation.Refused.class);
  }

  @Test
  void anImmediateClaimGetsTheNodeThatPacksBest() {
    assertThat(
            ((Allocation.Held) allocate(new NodeChoice.AnyNode(ImmutableSet::of), pending("a", 1)))
                .node())
        .isEqualTo("small");
    Allocation nowhere = allocate(new NodeChoice.AnyNode(ImmutableSet::of), pending("b", 3));
    NodeChoice unknown = new NodeChoice.AnyOf(ImmutableSet.of("unknown"));
    assertThat(allocate(unknown, pending("c", 1))).isInstanceOf(Allocation.Refused.class);

    assertThat(unsuitable(((Allocation.Refused) nowhere).why(), "b"))
        .containsOnlyKeys("small", "large")
        .allSatisfy((node, reason) -> assertThat(reason.kind().lasting()).isTrue());
  }

  @Test
  void whatTheApiShowsRestoresTheMemory() {
    ResourceHandle handle = handle(allocate(on("small"), pending("a", 1)), "a");
    GpuDriver restarted =
        new GpuDriver(DeviceSamples.DRIVER, objects, new Ledgers(), () -> STAMP, alerts);
    restarted.observe(claim("a", Optional.empty()).ref(), uid("a"), Optional.of(handle));
    driver.granted(uid("a"), OWNER);

    assertThat(
            unsuitable(
                restarted.suitability(ImmutableList.of(pending("b", 1)), ImmutableSet.of("small")),
                "b"))
        .containsKey("small");
    driver.observe(claim("a", Optional.empty()).ref(), uid("a"), Optional.empty());
    assertThat(ledgers.ledger("small").occupied()).isEmpty();
  }

  @Test
  void whatNoHandleCanCarryIsRefusedAndNotHeld() {
    ledgers.observe(longNames("long", 64));
    Allocation refused = allocate(on("long"), pending("a", 1), pending("b", 63));

    ImmutableMap<String, UnsuitableReason> reasons =
        unsuitable(((Allocation.Refused) refused).why(), "b");
    assertThat(reasons.get("long"))
        .extracting(
            reason -> reason.kind().label(), reason -> reason.text(new NamespaceAudience("team-a")))
        .containsExactly(
            "handleTooLarge",
            "the names of 63 GPUs of long take more than the 16384 bytes of a handle");
    assertThat(ledgers.ledger("long").occupied()).isEmpty();
    assertThat(allocate(on("long"), pending("c", 32))).isInstanceOf(Allocation.Held.class);
  }

  /** As long as the schema of the inventory admits. */
  private static Inventory longNames(String node, int gpus) {
    String letters = "\uD83D\uDE80".repeat(94);
    return DeviceSamples.inventory(
        node,
        IntStream.range(0, gpus)
            .mapToObj(i -> DeviceSamples.named("gpu-" + i, letters + i, i))
            .collect(ImmutableList.toImmutableList()));
  }

  @Test
  void releaseGivesBackWhatIsHeld() {
    allocate(on("small"), pending("a", 1));
    driver.release(uid("a"), OWNER);
    driver.release(uid("a"), OWNER);

    assertThat(allocate(on("small"), pending("b", 1))).isInstanceOf(Allocation.Held.class);
  }

  @Test
  void anUnreadableHandleClosesItsNodeAndIsTold() {
    observeUnreadable(Optional.of("small"));

    assertThat(allocate(on("small"), pending("b", 1))).isInstanceOf(Allocation.Refused.class);
    assertThat(allocate(on("large"), pending("b", 1))).isInstanceOf(Allocation.Held.class);
    assertThat(alerts.told)
        .containsExactly("unreadable team-a/old on small: handle format 7 is newer than 2");
  }

  @Test
  void anUnreadableHandleOfNoNodeIsToldAndClosesNone() {
    observeUnreadable(Optional.empty());

    assertThat(allocate(on("small"), pending("b", 1))).isInstanceOf(Allocation.Held.class);
    assertThat(alerts.told)
        .containsExactly("unreadable team-a/old on ?: handle format 7 is newer than 2");
  }

  @Test
  void aHandleOfAnotherClaimIsHeldByWhoCarriesItAndTold() {
    ResourceHandle own = handle(allocate(on("small"), pending("a", 1)), "a");
    driver.release(uid("a"), OWNER);
    driver.observe(claim("thief", Optional.empty()).ref(), uid("thief"), Optional.of(own));

    assertThat(alerts.told)
        .containsExactly("stray team-a/thief has the grant of uid-of-a on small");
    assertThat(allocate(on("small"), pending("b", 1))).isInstanceOf(Allocation.Refused.class);
    assertThat(allocate(on("large"), pending("a", 1)))
        .as("the claim it was made for holds nothing")
        .isInstanceOf(Allocation.Held.class);
    driver.observe(claim("thief", Optional.empty()).ref(), uid("thief"), Optional.empty());
    assertThat(allocate(on("small"), pending("b", 1))).isInstanceOf(Allocation.Held.class);
  }

  private void observeUnreadable(Optional<String> node) {
    driver.observe(
        claim("old", Optional.empty()).ref(),
        uid("old"),
        Optional.of(new ResourceHandle("{\"v\":7}", node, true)));
  }
}
