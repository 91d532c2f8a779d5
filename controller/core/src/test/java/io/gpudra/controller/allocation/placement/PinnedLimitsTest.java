package io.gpudra.controller.allocation.placement;

import static io.gpudra.controller.allocation.placement.Worlds.a100s;
import static io.gpudra.controller.allocation.placement.Worlds.claim;
import static io.gpudra.controller.allocation.placement.Worlds.place;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.DeviceSubRequest.PinnedLimits;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.SharingStrategy;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How much memory clients may use of single devices. */
class PinnedLimitsTest {
  private static final SharingStrategy FIFTY =
      new SharingStrategy.Mps(OptionalInt.of(50), OptionalLong.of(9));

  private static Stream<SharingStrategy> granted(SharingStrategy ofAll, PinnedLimits pinned) {
    DeviceSubRequest three =
        new DeviceSubRequest(
            Optional.empty(), 3, false, new DeviceKind.Whole(), Among.EVERY, ofAll, pinned);
    ClaimRequest claim = claim("a", three);
    return Objects.requireNonNull(
            ((Placement.Fits) place(a100s(3), claim)).devices().get(claim.uid()))
        .stream()
        .map(GrantedDevice::part)
        .map(part -> part.sharing());
  }

  private static SharingStrategy limited(long bytes) {
    return new SharingStrategy.Mps(OptionalInt.of(50), OptionalLong.of(bytes));
  }

  @Test
  void eachDeviceHasTheLimitOfItsPlaceAndTheOthersThatOfAll() {
    PinnedLimits ofTwo = new PinnedLimits(ImmutableMap.of(1, 1L, 2, 2L), ImmutableMap.of());

    assertThat(granted(FIFTY, ofTwo)).containsExactly(FIFTY, limited(1), limited(2));
  }

  @Test
  void theLimitOfACertainDeviceComesBeforeThatOfItsPlace() {
    PinnedLimits both =
        new PinnedLimits(ImmutableMap.of(0, 1L, 1, 2L), ImmutableMap.of("GPU-1", 3L, "GPU-7", 4L));

    assertThat(granted(FIFTY, both)).containsExactly(limited(1), limited(3), FIFTY);
  }

  @Test
  void withoutMpsNothingIsLimited() {
    SharingStrategy turns = new SharingStrategy.TimeSlicing(SharingStrategy.Interval.LONG);

    assertThat(granted(turns, new PinnedLimits(ImmutableMap.of(0, 1L), ImmutableMap.of())))
        .containsOnly(turns);
  }
}
