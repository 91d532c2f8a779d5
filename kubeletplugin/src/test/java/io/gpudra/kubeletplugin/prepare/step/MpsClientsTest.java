package io.gpudra.kubeletplugin.prepare.step;

import static io.gpudra.kubeletplugin.testing.Parts.GIB;
import static io.gpudra.kubeletplugin.testing.Parts.share;
import static io.gpudra.kubeletplugin.testing.Parts.whole;
import static io.gpudra.kubeletplugin.testing.Parts.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.SharingStrategy;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MpsClientsTest {

  private static final SharingStrategy LIMITED =
      new SharingStrategy.Mps(OptionalInt.empty(), OptionalLong.of(GIB));
  private static final SharingStrategy FREE =
      new SharingStrategy.Mps(OptionalInt.of(50), OptionalLong.empty());

  private static Optional<String> problem(String driver, GrantedDevice... devices) {
    return new MpsClients(ImmutableList.copyOf(devices)).problem(driver);
  }

  static Stream<GrantedDevice> limited() {
    return Stream.of(
        with(LIMITED, whole(0)),
        with(LIMITED, share(0, 4)),
        with(FREE, share(0, 4)),
        with(new SharingStrategy.SpacePartitioning(2), whole(0)));
  }

  @ParameterizedTest
  @MethodSource("limited")
  void anOldDriverHoldsNoClientToALimitOfMemory(GrantedDevice device) {
    assertThat(problem("470.256.02", device))
        .contains(
            "driver 470.256.02 holds no client of MPS to a limit of memory, which takes 495 or"
                + " newer; update the driver, or claim without a limit of memory");
    assertThat(problem("494.1", device)).isPresent();
    assertThat(problem("384.81", device)).isPresent();
  }

  @ParameterizedTest
  @ValueSource(strings = {"495.29.05", "550.54.15", "1.0.0", ""})
  void anyOtherDoes(String driver) {
    assertThat(problem(driver, with(LIMITED, whole(0)))).isEmpty();
  }

  @Test
  void whoHasNoLimitOfMemoryIsServedByAnOldDriver() {
    assertThat(problem("470.256.02", with(FREE, whole(0)))).isEmpty();
  }
}
