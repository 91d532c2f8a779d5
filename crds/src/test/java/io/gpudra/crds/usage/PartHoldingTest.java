package io.gpudra.crds.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GrantFixture;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whose a MIG device is. */
class PartHoldingTest {
  private static final ClaimUid OURS = new ClaimUid("ours");
  private static final Slice SLICE = new Slice("2g.10gb", 2, 2, 2, Optional.empty());
  private static final Slice OTHER = new Slice("2g.10gb", 4, 2, 2, Optional.empty());
  private static final Slice PART = SLICE.with(Optional.of(new Instance(1, 1)));
  private static final Slice RENAMED = new Slice("2g.12gb", 2, 2, 2, Optional.empty());

  private static MigState.Device device(String claim, boolean foreign) {
    return new MigState.Device(
        "MIG-1",
        SLICE,
        Optional.of(claim).filter(uid -> !uid.isEmpty()).map(ClaimUid::new),
        foreign);
  }

  static Stream<Arguments> devices() {
    return Stream.of(
        arguments("made for it", SLICE, device("ours", false), true),
        arguments("a part that was made for it", PART, device("ours", false), true),
        arguments("made for another claim, inside it", SLICE, device("theirs", false), false),
        arguments("made for it, elsewhere", OTHER, device("ours", false), false),
        arguments("that was there", SLICE, device("", false), true),
        arguments("that was there, elsewhere", OTHER, device("", false), false),
        arguments("that another driver calls otherwise", RENAMED, device("", false), true),
        arguments("somebody else's in its place", SLICE, device("", true), false),
        arguments("somebody's of a GPU that it has", new Part.Whole(), device("", true), true),
        arguments(
            "a claim's of a GPU that it has", new Part.Whole(), device("theirs", false), false),
        arguments("beside a share", new Part.Share(1, 0), device("", true), false));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("devices")
  void aMigDeviceIsOfTheClaimThatHasItAlone(
      String what, Part part, MigState.Device device, boolean has) {
    GrantedPart held = GrantFixture.part("GPU-0", part);

    assertThat(new PartHolding(OURS, held).has(device)).as(what).isEqualTo(has);
  }
}
