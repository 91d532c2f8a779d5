package io.gpudra.kubeletplugin.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.testing.GrantFixture;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LiveGrantTest {

  private static final ClaimUid U1 = new ClaimUid("u1");
  private static final ClaimUid U2 = new ClaimUid("u2");
  private static final String ANEW = "it was made anew, with UID u1";

  private static final Grant GRANT = GrantFixture.grant(U1, "worker-1");

  static Stream<Arguments> rows() {
    LiveGrant granted = new LiveGrant.Granted(U1, GRANT, ImmutableSet.of("pod"));
    LiveGrant without = new LiveGrant.NotGranted(U1, "it has no handle");
    return Stream.of(
        Arguments.of(granted, U2, Optional.of(false), ANEW),
        Arguments.of(without, U1, Optional.of(true), "it has no handle"),
        Arguments.of(without, U2, Optional.of(false), ANEW),
        Arguments.of(new LiveGrant.Gone(), U1, Optional.of(false), "it does not exist"),
        Arguments.of(new LiveGrant.Unreadable("too large"), U1, Optional.empty(), "too large"),
        Arguments.of(new LiveGrant.NoAnswer("refused"), U1, Optional.empty(), "refused"));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void saysWhetherItIsTheClaimAndWhyThatHasNoGrant(
      LiveGrant live, ClaimUid claim, Optional<Boolean> same, String problem) {
    assertThat(live.grantOf(claim)).isEmpty();
    assertThat(live.isClaim(claim)).isEqualTo(same);
    assertThat(live.problem(claim)).isEqualTo(problem);
  }
}
