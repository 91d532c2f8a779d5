package io.gpudra.kubeletplugin.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DevicePluginProbeTest {
  private static final Duration RARELY = DevicePluginProbe.PAUSE_WHERE_NONE_IS;
  private static final Optional<String> THREE =
      Optional.of("a device plugin hands out 3 GPUs of this node, too");
  private static final Optional<String> UNKNOWN =
      Optional.of(
          "a device plugin may hand out GPUs of this node, too:"
              + " the kubelet's checkpoint is too large");

  private final List<Optional<String>> told = new ArrayList<>();
  private Optional<Integer> handedOut = Optional.of(0);
  private Optional<ImmutableSet<String>> registered = Optional.of(ImmutableSet.of());
  private Duration now = Duration.ZERO;
  private int asked;
  private final DevicePluginProbe look =
      new DevicePluginProbe(
          () -> registered,
          resources -> {
            asked++;
            return handedOut;
          },
          told::add,
          () -> now.toNanos());

  private void lookFor(Duration time) {
    for (Duration end = now.plus(time); now.compareTo(end) < 0; ) {
      now = now.plus(DevicePluginProbe.PAUSE);
      look.probe();
    }
  }

  @Test
  void whereNoneIsTheApiServerIsAskedEveryTenMinutes() {
    look.probe();
    lookFor(Duration.ofHours(1));

    assertThat(asked).isEqualTo(1 + 6);
    assertThat(told).hasSize(asked).containsOnly(Optional.empty());
  }

  @Test
  void oneThatComesIsNoticedWithinTenMinutes() {
    look.probe();
    handedOut = Optional.of(3);
    lookFor(RARELY);

    assertThat(told).containsExactly(Optional.empty(), THREE);
  }

  @Test
  void oneThatHasRegisteredGpusIsNoticedAtTheNextLook() {
    look.probe();
    registered = Optional.of(ImmutableSet.of("vendor.example.com/slice"));
    handedOut = Optional.of(3);
    lookFor(DevicePluginProbe.PAUSE);

    assertThat(told.get(told.size() - 1)).isPresent();
  }

  @Test
  void itIsAskedForUntilTheApiServerHasAnswered() {
    handedOut = Optional.empty();
    assertThat(look.isAnswered()).isFalse();
    assertThat(look.isAnswered()).isFalse();
    handedOut = Optional.of(3);
    assertThat(look.isAnswered()).isTrue();
    assertThat(told).hasSize(1);

    assertThat(look.isAnswered()).isTrue();
    assertThat(asked).isEqualTo(3);
  }

  @Test
  void whereTheNodeDoesNotTellADevicePluginMayHandOutItsGpus() {
    registered = Optional.empty();
    assertThat(look.isAnswered()).isTrue();
    handedOut = Optional.of(3);
    lookFor(DevicePluginProbe.PAUSE);

    assertThat(told).containsExactly(UNKNOWN, THREE);
  }

  @Test
  void whereTheNodeNoLongerTellsWhatItToldBeforeCountsNoMore() {
    look.probe();
    registered = Optional.empty();
    lookFor(DevicePluginProbe.PAUSE);
    registered = Optional.of(ImmutableSet.of());
    lookFor(Duration.ofMinutes(1));

    assertThat(told)
        .as("then it is missed twice within a minute")
        .containsExactly(Optional.empty(), UNKNOWN, Optional.empty(), Optional.empty());
  }

  @Test
  void oneThatGoesIsMissedTwiceWithinAMinute() {
    handedOut = Optional.of(3);
    look.probe();
    handedOut = Optional.of(0);
    lookFor(Duration.ofMinutes(1));

    assertThat(told.subList(1, told.size())).containsExactly(Optional.empty(), Optional.empty());
  }

  @Test
  void oneThatComesBackWithinAnHourIsNoticedAtTheNextLook() {
    handedOut = Optional.of(3);
    look.probe();
    handedOut = Optional.of(0);
    lookFor(Duration.ofMinutes(50));
    handedOut = Optional.of(2);
    lookFor(DevicePluginProbe.PAUSE);

    assertThat(told.get(told.size() - 1)).isPresent();
  }

  @Test
  void anHourAfterOneWentItIsRarelyAskedFor() {
    handedOut = Optional.of(3);
    look.probe();
    handedOut = Optional.of(0);
    lookFor(Duration.ofMinutes(61));
    asked = 0;
    lookFor(Duration.ofHours(1));

    assertThat(asked).isEqualTo(6);
  }

  @Test
  void whatIsNotAnsweredIsAskedAgainAndTellsNothing() {
    handedOut = Optional.empty();
    look.probe();
    lookFor(Duration.ofMinutes(1));

    assertThat(asked).isEqualTo(3);
    assertThat(told).isEmpty();
  }
}
