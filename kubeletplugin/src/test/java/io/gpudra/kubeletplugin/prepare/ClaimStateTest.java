package io.gpudra.kubeletplugin.prepare;

import static io.gpudra.kubeletplugin.prepare.ClaimState.OnPrepare.BEGIN;
import static io.gpudra.kubeletplugin.prepare.ClaimState.OnPrepare.REFUSE;
import static io.gpudra.kubeletplugin.prepare.ClaimState.OnPrepare.REUSE;
import static io.gpudra.kubeletplugin.prepare.ClaimState.OnPrepare.UNDO_FIRST;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.kubeletplugin.prepare.ClaimState.Absent;
import io.gpudra.kubeletplugin.prepare.ClaimState.Fenced;
import io.gpudra.kubeletplugin.prepare.ClaimState.Holding;
import io.gpudra.kubeletplugin.prepare.ClaimState.Intended;
import io.gpudra.kubeletplugin.prepare.ClaimState.OnPrepare;
import io.gpudra.kubeletplugin.prepare.ClaimState.Prepared;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ClaimStateTest {

  private static final Grant GRANT = grant(1, "gpu-0");
  private static final Grant SAME_DEVICES_LATER = grant(2, "gpu-0");
  private static final Grant OTHER_DEVICES = grant(1, "gpu-1");
  private static final Holding HELD =
      new Holding(new ClaimRef("team-a", "train"), GRANT, ImmutableMap.of(), Optional.empty());

  private static final ClaimState FENCED = new Fenced(HELD, ImmutableSet.of());

  private static Grant grant(long epoch, String device) {
    return new Grant(
        new ClaimUid("u1"),
        "worker-1",
        epoch,
        OptionalLong.empty(),
        Instant.ofEpochSecond(epoch),
        ImmutableList.of(new GrantedDevice(device, "GPU-" + device)));
  }

  static Stream<Arguments> rows() {
    return Stream.of(
        Arguments.of(new Absent(), GRANT, BEGIN),
        Arguments.of(new Intended(HELD), GRANT, UNDO_FIRST),
        Arguments.of(new Intended(HELD), OTHER_DEVICES, UNDO_FIRST),
        Arguments.of(new Prepared(HELD), GRANT, REUSE),
        Arguments.of(new Prepared(HELD), SAME_DEVICES_LATER, REUSE),
        Arguments.of(new Prepared(HELD), OTHER_DEVICES, REFUSE),
        Arguments.of(FENCED, GRANT, REUSE),
        Arguments.of(FENCED, OTHER_DEVICES, REFUSE));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void decidesWhatAPrepareCallDoes(ClaimState state, Grant grant, OnPrepare expected) {
    assertThat(state.onPrepare(grant)).isEqualTo(expected);
  }

  /** A pod of another claim of the name would begin to use what this one had. */
  @Test
  void aClaimThatWasGoneIsDoubtedWhateverTheKubeletSends() {
    assertThat(FENCED.doubts(GRANT, false)).isTrue();
  }

  @Test
  void ofAClaimThatHoldsNothingNothingIsNoted() {
    assertThat(new Absent().with(HELD)).isEqualTo(new Absent());
  }
}
