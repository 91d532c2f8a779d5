package io.gpudra.controller.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.LedgerListener;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.ledger.DoubleGrant;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.process.LabelledTotals;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GpuTimeMeterTest implements ReportSink, LedgerListener {
  private static final String T4 = "Tesla T4";
  private static final String A100 = DeviceSamples.A100_MIG.productName();
  private static final Inventory NODE =
      DeviceSamples.node("worker-1", DeviceSamples.T4, DeviceSamples.T4, DeviceSamples.A100_MIG);

  private final MetricRegistry metrics = new MetricRegistry();
  private final Ledgers ledgers = new Ledgers();
  private final Map<ClaimRef, ClaimFacts> claims = new HashMap<>();
  private final List<String> notes = new ArrayList<>();
  private Instant now = Some.EPOCH.plus(Duration.ofDays(1));
  private boolean leads = true;
  private int claimsRead;
  private final InstantSource instants = () -> now;
  private final Clock clock = instants.withZone(ZoneOffset.UTC);
  private final GpuSeconds seconds =
      new GpuSeconds(clock, () -> Duration.between(Some.EPOCH, now).toNanos());
  private final GpuTimeMeter gpuTimeMeter =
      new GpuTimeMeter(
          new GpuTimeMeter.Cluster(ledgers::snapshot, this::claim),
          seconds,
          this,
          () -> leads,
          clock,
          metrics);

  private Optional<ClaimFacts> claim(ClaimRef ref) {
    claimsRead++;
    return Optional.ofNullable(claims.get(ref));
  }

  @Override
  public void warn(Warning warning) {}

  @Override
  public void refused(UnsuitableReason.Kind kind) {}

  @Override
  public void note(Warning event) {
    Subject.OnClaim claim = (Subject.OnClaim) event.subject();
    notes.add("%s %s: %s".formatted(event.reason(), claim.ref().name(), event.message()));
  }

  @Override
  public void freed(String node, int devices) {}

  @Override
  public void nameReleased(String node, ClaimRef claim) {}

  @Override
  public void grantedTwice(DoubleGrant doubleGrant) {}

  @Override
  public void surplusFound(ClaimRef claim) {}

  @Override
  public void released(NodeLedger had, ClaimUid claim) {
    gpuTimeMeter.released(had, claim);
  }

  @BeforeEach
  void lead() {
    ledgers.setListener(this);
    ledgers.observe(NODE);
    seconds.begin("");
  }

  private void pass(int time) {
    now = now.plusSeconds(time);
  }

  private void grant(String name, GrantedPart... parts) {
    ClaimFacts claim = Some.claim(name).facts();
    claims.put(claim.ref(), claim);
    GrantedDevice[] devices =
        Arrays.stream(parts)
            .map(part -> GrantFixture.device("of " + part.gpuUuid(), part))
            .toArray(GrantedDevice[]::new);
    Grant grant = GrantFixture.granted(now, claim.uid(), "worker-1", devices);
    ledgers.observe(claim.ref(), claim.uid(), Optional.of(grant));
  }

  private void release(String name) {
    ClaimFacts claim = Some.claim(name).facts();
    ledgers.observe(claim.ref(), claim.uid(), Optional.empty());
  }

  private static GrantedPart part(int gpu, Part part, Optional<ClaimUid> inside) {
    return new GrantedPart(
        "GPU-" + gpu, part, SharingStrategy.NONE, 100, false, inside, Optional.empty());
  }

  private static GrantedPart whole(int gpu) {
    return GrantedPart.whole("GPU-" + gpu);
  }

  /** GPU-seconds by model, of the class and namespace that there is. */
  private Map<String, Double> counted() {
    gpuTimeMeter.update();
    now = now.plus(GpuSeconds.SHOWN_AS_ZERO);
    gpuTimeMeter.update();
    seconds.wordStored(seconds.word());
    Map<String, Double> byModel = new HashMap<>();
    ((LabelledTotals) metrics.gauge("gpu.seconds").getValue())
        .totals()
        .forEach(
            (labels, total) -> {
              assertThat(labels.get(0)).isEqualTo(Some.claim("a").facts().ref().namespace());
              assertThat(labels.get(1)).isEqualTo("mock-class");
              byModel.merge(labels.get(2), total, Double::sum);
            });
    return byModel;
  }

  @Test
  void nodesThatDidNotChangeAreNotReadAnew() {
    grant("a", whole(0));
    gpuTimeMeter.update();
    claimsRead = 0;

    gpuTimeMeter.update();
    assertThat(claimsRead).isZero();

    grant("b", whole(1));
    gpuTimeMeter.update();
    assertThat(claimsRead).isEqualTo(2);
  }

  @Test
  void grantsAreCountedByModelAndPart() {
    grant("a", whole(0), whole(1));
    grant("b", part(2, DeviceSamples.slice(DeviceSamples.HALF, 0), Optional.empty()));
    pass(40);

    assertThat(counted()).isEqualTo(ImmutableMap.of(T4, 200.0, A100, 50.0));
  }

  @Test
  void aReleaseIsToldWithAllThatTheClaimHad() {
    grant("a", whole(0), whole(1));
    pass(3_600);
    gpuTimeMeter.update();
    pass(60);
    release("a");

    assertThat(notes)
        .containsExactly(
            "Released a: 7320.000 GPU-seconds in 3660 s on node worker-1: of GPU-0, of GPU-1");
    assertThat(counted()).isEqualTo(ImmutableMap.of(T4, 7_320.0));
  }

  @Test
  void aStandbyTellsNothing() {
    leads = false;
    grant("a", whole(0));
    release("a");

    assertThat(notes).isEmpty();
  }

  @Test
  void whatIsCarvedOutOfAClaimCountsWithThat() {
    Part half = DeviceSamples.slice(DeviceSamples.HALF, 0);
    grant("parent", whole(2));
    grant("child", part(2, half, Optional.of(Some.claim("parent").facts().uid())));
    pass(40);

    assertThat(counted()).isEqualTo(ImmutableMap.of(A100, 100.0));
  }

  @Test
  void whatTheNodeDoesNotListIsNotCounted() {
    grant("a", whole(7));
    pass(40);

    assertThat(counted()).isEmpty();
    release("a");
    assertThat(notes)
        .containsExactly("Released a: 0.000 GPU-seconds in 100 s on node worker-1: of GPU-7");
  }

  @Test
  void aShareOfMoreThanThereIsCountsOneGpu() {
    grant("a", part(0, new Part.Share(Long.MAX_VALUE, 0), Optional.empty()));
    grant("b", part(1, new Part.Share(1, 0), Optional.empty()));
    pass(40);

    assertThat(counted()).isEqualTo(ImmutableMap.of(T4, 100.1));
  }

  @Test
  void noClaimHadAnythingBeforeItWasMade() {
    Instant today = now;
    now = Instant.MIN;
    grant("a", whole(0));
    now = today;
    release("a");

    assertThat(notes).singleElement().asString().startsWith("Released a: 86400.000 GPU-seconds");
  }

  @Test
  void whatIsGrantedAtTheEndOfTimeHasCostNothingYet() {
    Instant today = now;
    now = Instant.MAX;
    grant("a", whole(0));
    now = today;
    release("a");

    assertThat(notes).singleElement().asString().startsWith("Released a: 0.000 GPU-seconds");
  }
}
