package io.gpudra.controller.allocation.placement;

import static io.gpudra.controller.allocation.placement.Worlds.after;
import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.gpu;
import static io.gpudra.controller.allocation.placement.Worlds.inside;
import static io.gpudra.controller.allocation.placement.Worlds.mig;
import static io.gpudra.controller.allocation.placement.Worlds.names;
import static io.gpudra.controller.allocation.placement.Worlds.node;
import static io.gpudra.controller.allocation.placement.Worlds.place;
import static io.gpudra.controller.allocation.placement.Worlds.pod;
import static io.gpudra.controller.allocation.placement.Worlds.text;
import static io.gpudra.controller.allocation.placement.Worlds.whole;
import static io.gpudra.controller.allocation.placement.Worlds.with;
import static io.gpudra.crds.testing.GpuModels.A100;
import static io.gpudra.crds.testing.GpuModels.enabled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.usage.GpuUsage;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Claims that are carved out of what other claims have. */
class NestedTest {
  private static final ClaimRequest OWN = claim("own", whole(1));
  private static final String NO_GPU =
      "spec.insideClaim: \"%s\" holds no MIG-enabled GPU; select it with cel: device.migEnabled";

  private static ImmutableList<GrantedDevice> devices(Placement placement, ClaimRequest claim) {
    return Objects.requireNonNull(((Placement.Fits) placement).devices().get(claim.uid()));
  }

  private static NodeLedger inMigMode() {
    return node(ImmutableList.of(gpu(0, A100, GpuModels.cuttable()), gpu(1, A100, enabled())));
  }

  @Test
  void migDevicesAreCarvedOutOfThePodsOwnGpu() {
    ClaimRequest half = inside(OWN, claim("half", mig("3g.20gb", 1)));
    ClaimRequest small = inside(OWN, claim("small", mig("1g.5gb", 2)));
    Placement placement = place(inMigMode(), half, small, OWN);
    assertThat(names(placement, "own")).containsExactly("gpu-1");
    assertThat(names(placement, "half")).containsExactly("gpu-1-mig-3g.20gb-4");
    assertThat(names(placement, "small"))
        .containsExactly("gpu-1-mig-1g.5gb-0", "gpu-1-mig-1g.5gb-1");
    assertThat(devices(placement, OWN)).allMatch(GrantedDevice::parent);
    assertThat(devices(placement, half))
        .allMatch(device -> device.part().inside().equals(Optional.of(OWN.uid())))
        .noneMatch(GrantedDevice::parent);
  }

  @Test
  void aGpuWithChildrenTakesMoreOfThemAndNobodyElse() {
    ClaimRequest first = inside(OWN, claim("first", mig("4g.20gb", 1)));
    NodeLedger ledger = node(ImmutableList.of(gpu(0, A100, enabled())));
    NodeLedger held = with(ledger, pod(OWN, first), place(ledger, OWN, first));
    assertThat(names(place(held, inside(OWN, claim("second", mig("3g.20gb", 1)))), "second"))
        .containsExactly("gpu-0-mig-3g.20gb-4");
    assertThat(place(held, claim("stranger", mig("3g.20gb", 1))))
        .isInstanceOf(Placement.DoesNotFit.class);
    assertThat(text(place(held, inside(OWN, claim("large", mig("4g.20gb", 1)))), "large"))
        .isEqualTo(
            "4g.20gb does not fit into what \"own\" holds: gpu-0 has 4 free memory slices but not"
                + " side by side");
  }

  @Test
  void eachChildIsAnsweredForItsOwnParent() {
    Ledgers ledgers = new Ledgers();
    ledgers.observe(node(ImmutableList.of(gpu(0, A100, enabled()))).inventory());
    String node = ledgers.snapshot().get(0).node();
    ledgers.commit(node, pod(OWN), new HoldOwner("test"), new GrantAudit(1, Instant.EPOCH));
    ClaimRequest stranger = claim("stranger", whole(1));

    for (ClaimRequest parent : ImmutableList.of(stranger, OWN, stranger)) {
      ClaimRequest child = inside(parent, claim("of " + parent.ref().name(), mig("1g.5gb", 1)));
      assertThat(ledgers.refusals(ImmutableSet.of(node), pod(child), new SearchBudget()).isEmpty())
          .isEqualTo(parent.equals(OWN));
    }
  }

  @Test
  void siblingsThatAreTooManyForAnyGpuAreToldWhatTheyNeedTogether() {
    ClaimRequest halves = inside(OWN, claim("halves", mig("3g.20gb", 2)));
    ClaimRequest more = inside(OWN, claim("more", mig("2g.10gb", 1)));
    assertThat(text(place(inMigMode(), OWN, halves, more), "more"))
        .isEqualTo(
            "spec.insideClaim: the pod asks 3g.20gb + 3g.20gb + 2g.10gb of \"own\"; together they"
                + " need 10 of 8 memory slices");
  }

  /** What the last of them is told by a pod that also asks for the parent. */
  private static String told(NodeLedger ledger, ClaimRequest... claims) {
    return text(place(ledger, claims), "last");
  }

  @Test
  void siblingsOnlyAreCountedTogether() {
    ClaimRequest last = inside(OWN, claim("last", mig("3g.20gb", 1)));
    ClaimRequest stranger = claim("stranger", mig("7g.40gb", 2));
    ClaimRequest either =
        inside(
            OWN,
            claim(
                "either",
                Worlds.alternative(DeviceConstraints.ANYHOW, mig("7g.40gb", 1)),
                Worlds.alternative(
                    DeviceConstraints.ANYHOW, mig("4g.20gb", 1), mig("3g.20gb", 1))));

    assertThat(told(inMigMode(), OWN, stranger, last))
        .isEqualTo("fits alone, but not together with team/own, team/stranger of the same pod");
    assertThat(told(inMigMode(), OWN, either, last))
        .isEqualTo("fits alone, but not together with team/either, team/own of the same pod");
  }

  @Test
  void siblingsThatAGpuHasTheMemoryForAreNotToldOfIt() {
    ClaimRequest last = inside(OWN, claim("last", mig("4g.20gb", 1)));
    ClaimRequest other = inside(OWN, claim("other", mig("4g.20gb", 1)));
    assertThat(told(inMigMode(), OWN, other, last))
        .isEqualTo("fits alone, but not together with team/other, team/own of the same pod");
  }

  @Test
  void onlyGpusThatOfferWhatSiblingsWantCount() {
    NodeLedger mixed =
        node(ImmutableList.of(gpu(0, Worlds.A30, enabled()), gpu(1, A100, enabled())));
    ClaimRequest last = inside(OWN, claim("last", mig("3g.20gb", 2)));
    ClaimRequest other = inside(OWN, claim("other", mig("3g.20gb", 1)));
    assertThat(told(mixed, OWN, other, last)).endsWith("together they need 12 of 8 memory slices");
  }

  @Test
  void aGpuThatIsNotInMigModeIsNotCutForItsOwner() {
    ClaimRequest child = inside(OWN, claim("child", mig("1g.5gb", 1)));
    NodeLedger off = Worlds.a100s(1);
    assertThat(text(place(off, OWN, child), "child")).isEqualTo(NO_GPU.formatted("own"));
    assertThat(place(after(off, OWN), child)).isInstanceOf(Placement.DoesNotFit.class);
  }

  @Test
  void computeInstancesAreCarvedOutOfAMigDeviceThatWasGrantedForThat() {
    ClaimRequest outer = claim("outer", mig("2g.10gb", 1));
    ClaimRequest one = inside(outer, claim("one", mig("1c.2g.10gb", 1)));
    ClaimRequest other = inside(outer, claim("other", mig("1c.2g.10gb", 1)));
    NodeLedger ledger = Worlds.a100s(2);
    Placement placement = place(ledger, outer, one);
    assertThat(names(placement, "one")).containsExactly("gpu-0-mig-1c.2g.10gb-4-0");
    NodeLedger held = with(ledger, pod(outer, one), placement);
    assertThat(names(place(held, other), "other")).containsExactly("gpu-0-mig-1c.2g.10gb-4-1");
    NodeLedger full = with(held, pod(other), place(held, other));
    assertThat(text(place(full, inside(outer, claim("third", mig("1c.2g.10gb", 1)))), "third"))
        .isEqualTo("1c.2g.10gb does not fit into what \"outer\" holds");
    assertThat(full.usages().get(0).kind()).isEqualTo(GpuUsage.Kind.SLICED);
  }

  @Test
  void aMigDeviceIsMadeWhereItWillDoForThoseInsideIt() {
    ClaimRequest outer = claim("outer", mig("2g.10gb", 1));
    ClaimRequest one = inside(outer, claim("one", StartsAt.mig("1c.2g.10gb", 2)));
    assertThat(names(place(Worlds.a100s(1), outer, one), "outer"))
        .containsExactly("gpu-0-mig-2g.10gb-2");
  }

  @Test
  void aMigDeviceThatIsUsedItselfIsNotDivided() {
    ClaimRequest outer = claim("outer", mig("2g.10gb", 1));
    ClaimRequest child = inside(outer, claim("child", mig("1c.2g.10gb", 1)));
    assertThat(text(place(after(Worlds.a100s(1), outer), child), "child"))
        .isEqualTo("spec.insideClaim: \"outer\" holds no MIG device 2g.10gb that can be divided");
  }

  @Test
  void aWholeGpuThatIsNotInMigModeIsUsedItselfWhateverIsCarvedOutOfTheRestOfItsClaim() {
    ClaimRequest both = claim("both", whole(1), mig("2g.10gb", 1));
    ClaimRequest instance = inside(both, claim("instance", mig("1c.2g.10gb", 1)));
    Placement placement = place(Worlds.a100s(2), both, instance);
    assertThat(((Placement.Fits) placement).devices().get(both.uid()))
        .extracting(device -> device.name() + " " + device.parent())
        .containsExactlyInAnyOrder("gpu-0 false", "gpu-1-mig-2g.10gb-4 true");
  }

  @Test
  void instancesOfADeviceOfAGpuOfTheirPod() {
    ClaimRequest device = inside(OWN, claim("device", mig("3g.20gb", 1)));
    ClaimRequest instance = inside(device, claim("instance", mig("1c.3g.20gb", 3)));
    Placement placement = place(inMigMode(), instance, device, OWN);
    assertThat(names(placement, "instance"))
        .containsExactly(
            "gpu-1-mig-1c.3g.20gb-4-0", "gpu-1-mig-1c.3g.20gb-4-1", "gpu-1-mig-1c.3g.20gb-4-2");
    assertThat(with(inMigMode(), pod(OWN, device, instance), placement).usages())
        .allMatch(usage -> usage.conflict().isEmpty());
  }

  static Stream<Arguments> misses() {
    NodeLedger on = node(ImmutableList.of(gpu(0, A100, enabled()), gpu(1, A100, enabled())));
    ClaimRequest second = claim("own", whole(1, 0b10));
    ClaimRequest outer = claim("outer", mig("3g.20gb", 1));
    ClaimRequest held = inside(outer, claim("held", mig("1c.3g.20gb", 1)));
    NodeLedger divided = with(on, pod(outer, held), place(on, outer, held));
    ClaimRequest device = inside(second, outer);
    return Stream.of(
        arguments(
            on,
            ImmutableList.of(second, inside(second, claim("child", mig("4g.20gb", 2)))),
            "2 of 4g.20gb do not fit into what \"own\" holds: gpu-1 has 8 free memory slices"),
        arguments(
            on,
            ImmutableList.of(outer, inside(outer, claim("child", mig("1c.3g.20gb", 4)))),
            "4 of 1c.3g.20gb do not fit into what \"outer\" holds"),
        arguments(
            on,
            ImmutableList.of(outer, inside(outer, claim("child", mig("1c.2g.10gb", 1)))),
            "spec.insideClaim: \"outer\" holds no MIG device 2g.10gb that can be divided"),
        arguments(
            divided,
            ImmutableList.of(inside(outer, claim("child", mig("1c.2g.10gb", 1)))),
            "spec.insideClaim: \"outer\" holds no MIG device 2g.10gb that can be divided"),
        arguments(
            divided,
            ImmutableList.of(inside(outer, claim("child", mig("1g.5gb", 1)))),
            NO_GPU.formatted("outer")),
        arguments(
            on,
            ImmutableList.of(second, device, inside(device, claim("child", mig("1g.5gb", 1)))),
            NO_GPU.formatted("outer")));
  }

  @ParameterizedTest
  @MethodSource("misses")
  void saysWhatIsMissingOfTheParent(
      NodeLedger ledger, ImmutableList<ClaimRequest> claims, String text) {
    assertThat(text(place(ledger, claims.toArray(ClaimRequest[]::new)), "child")).isEqualTo(text);
  }

  @Test
  void aComputeInstanceIsNotDivided() {
    ClaimRequest outer = claim("outer", mig("1c.2g.10gb", 1));
    ClaimRequest child = inside(outer, claim("child", mig("1c.2g.10gb", 1)));
    assertThat(text(place(Worlds.a100s(1), outer, child), "child"))
        .isEqualTo("spec.insideClaim: \"outer\" holds no MIG device 2g.10gb that can be divided");
  }

  @Test
  void aNodeWithoutTheParentIsToldSo() {
    assertThat(text(place(inMigMode(), inside(OWN, claim("child", mig("1g.5gb", 1)))), "child"))
        .isEqualTo("its parent claim team/own has no device on this node");
  }

  @Test
  void claimsThatAreInsideEachOtherAreServedNowhere() {
    ClaimRequest one = claim("one", mig("1g.5gb", 1));
    ClaimRequest other = inside(one, claim("other", mig("1g.5gb", 1)));
    assertThat(place(inMigMode(), inside(other, one), other))
        .isInstanceOf(Placement.DoesNotFit.class);
  }
}
