package io.gpudra.controller.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.gpu.ParametersObjects;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec.Limits;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.testing.GrantFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which claims are held longer than their class allows. */
class OverdueClaimsTest implements ParametersObjects {
  private static final Instant START = Instant.parse("2026-11-21T08:00:00Z");
  private static final ClaimRef REF = new ClaimRef("team", "train");
  private static final ClaimUid UID = new ClaimUid("uid");

  private final Ledgers ledgers = new Ledgers();
  private Optional<String> limit = Optional.of("72h");
  private boolean ending;
  private ClaimUid now = UID;

  private ImmutableList<String> after(Duration time) {
    OverdueClaims overdue = new OverdueClaims(this::claim, this::resourceClass, this);
    return overdue.of(ledgers.snapshot(), START.plus(time)).stream()
        .map(finding -> finding.claims() + " " + finding.node() + " " + finding.message())
        .collect(ImmutableList.toImmutableList());
  }

  private void hold() {
    hold(START);
  }

  private void hold(Instant since) {
    ledgers.observe(
        REF,
        UID,
        Optional.of(
            GrantFixture.granted(since, UID, "worker", new GrantedDevice("gpu-0", "GPU-0"))));
  }

  private Optional<ClaimFacts> claim(ClaimRef ref) {
    return Optional.of(
        Some.claim(ref.name())
            .in(ref.namespace())
            .uid(now.value())
            .created(START)
            .ofClass("short")
            .deleting(ending)
            .withFinalizer(true)
            .facts());
  }

  private Optional<ClassFacts> resourceClass(String name) {
    ParametersRef ref =
        new ParametersRef(GpuApi.GROUP, GpuClassParameters.KIND, Optional.empty(), "of-" + name);
    return Optional.of(
        new ClassFacts(name, "gpu.example.com", false, Optional.of(ref), Optional.empty()));
  }

  @ParameterizedTest
  @CsvSource({
    "72h, PT72H, ",
    "72h, PT72H1S, 'held for 259201s, class allows 72h'",
    "72h, PT72H20M, 'held for 4340m, class allows 72h'",
    "72h, PT73H59M, 'held for 73h, class allows 72h'",
    "1h30m, PT1H29M, ",
    "1h30m, PT1H31M, 'held for 91m, class allows 1h30m'",
    "0s, PT1S, 'held for 1s, class allows 0s'",
    "999999999999999h, PT999999H, ",
    "soon, PT99H, ",
  })
  void aClaimIsOverdueWhenItIsHeldLongerThanItsClassAllows(
      String allowed, Duration held, String what) {
    limit = Optional.of(allowed);
    hold();
    assertThat(after(held))
        .isEqualTo(
            what == null
                ? ImmutableList.of()
                : ImmutableList.of("{uid=team/train} worker " + what));
  }

  @Test
  void whatEndsOrIsAnotherClaimOfThatNameOrIsNotGrantedYetIsNotOverdue() {
    Duration many = Duration.ofHours(99);
    hold();
    assertThat(after(many)).hasSize(1);
    ending = true;
    assertThat(after(many)).isEmpty();
    ending = false;
    now = new ClaimUid("another");
    assertThat(after(many)).isEmpty();
    now = UID;
    limit = Optional.empty();
    assertThat(after(many)).isEmpty();
    limit = Optional.of("72h");
    ledgers.release(UID, new HoldOwner("test"));
    assertThat(after(many)).isEmpty();
  }

  @Override
  public Optional<GpuClaimParameters> ofClaim(String namespace, String name) {
    throw new AssertionError("only the class matters");
  }

  @Override
  public Optional<String> problemOfClaim(String namespace, String name) {
    throw new AssertionError("only the class matters");
  }

  @Override
  public Optional<GpuClassParameters> ofClass(String name) {
    assertThat(name).isEqualTo("of-short");
    GpuClassParametersSpec spec =
        new GpuClassParametersSpec(
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            new Limits(null, limit.orElse(null)));
    return Optional.of(new GpuClassParameters(null, null, null, spec));
  }

  @Override
  public Optional<ImmutableMap<String, String>> labelsOfNamespace(String namespace) {
    throw new AssertionError("only the class matters");
  }

  @Test
  void whatIsHeldSinceTheBeginningOfTimeIsOverdueAndSinceItsEndNot() {
    hold(Instant.MIN);
    assertThat(after(Duration.ZERO)).singleElement().asString().contains("held for 87658");
    hold(Instant.MAX);
    assertThat(after(Duration.ZERO)).isEmpty();
  }
}
