package io.gpudra.crds.handle;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.io.Resources;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Share;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.SharingStrategy.Interval;
import io.gpudra.crds.model.SharingStrategy.Mps;
import io.gpudra.crds.model.SharingStrategy.SpacePartitioning;
import io.gpudra.crds.model.SharingStrategy.TimeSlicing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Handles that are in clusters today: every later version must read them, and write them so. */
class GoldenHandlesTest {

  private static final SharingStrategy HALF =
      new Mps(OptionalInt.of(50), OptionalLong.of(4_000_000_000L));
  private static final SharingStrategy HALF_WITHOUT_LIMIT =
      new Mps(OptionalInt.of(50), OptionalLong.empty());

  static Stream<Arguments> grants() {
    return Stream.concat(ofWholeGpus(), ofParts());
  }

  private static Stream<Arguments> ofWholeGpus() {
    return Stream.of(
        Arguments.of(
            "format1-one.json",
            grant(
                OptionalLong.of(1),
                new GrantedDevice("gpu-0", "GPU-6af613b6-569c-5c22-9c37-2ed93f31d3af"))),
        Arguments.of(
            "format1-two.json",
            new Grant(
                grant(OptionalLong.empty()).claim(),
                "worker-1",
                0,
                OptionalLong.empty(),
                Instant.parse("2026-11-21T08:00:00.123Z"),
                ImmutableList.of(
                    new GrantedDevice("gpu-1", "GPU-1"), new GrantedDevice("gpu-2", "GPU-2")))));
  }

  private static Stream<Arguments> ofParts() {
    return Stream.of(
        Arguments.of("format2-monitor.json", grant(OptionalLong.empty())),
        Arguments.of(
            "format2-shared.json",
            grant(
                OptionalLong.empty(),
                device("gpu-0", part("GPU-0", new Share(4L << 30, 500), HALF, 150)),
                device(
                    "gpu-1", part("GPU-1", new Share(1_500_500_000, 0), HALF_WITHOUT_LIMIT, 100)))),
        Arguments.of(
            "format2-mig.json",
            grant(
                OptionalLong.empty(),
                device(
                    "gpu-0-mig-1g.10gb.me-4",
                    slice(new Slice("1g.10gb+me", 4, 1, 1, Optional.empty()), "GPU-0", "")),
                device(
                    "gpu-1-mig-2g.20gb-2",
                    slice(
                        new Slice("2g.20gb", 2, 2, 2, Optional.of(new Instance(1, 1))),
                        "GPU-1",
                        "5e1b")))),
        Arguments.of(
            "format2-requests.json",
            grant(
                OptionalLong.of(7),
                new GrantedDevice(
                    "gpu-0", whole("GPU-0", new TimeSlicing(Interval.LONG), "ts"), false),
                new GrantedDevice("gpu-1", whole("GPU-1", new SpacePartitioning(10), "sp"), false),
                new GrantedDevice("gpu-2", whole("GPU-2", SharingStrategy.NONE, "plain"), true))));
  }

  private static Grant grant(OptionalLong generation, GrantedDevice... devices) {
    return new Grant(
        new ClaimUid("7d0c1f3a-8a52-4d9d-9a51-0f6f6b0d7a11"),
        "worker-1",
        3,
        generation,
        Instant.parse("2026-11-21T08:00:00Z"),
        ImmutableList.copyOf(devices));
  }

  private static GrantedDevice device(String name, GrantedPart part) {
    return new GrantedDevice(name, part, false);
  }

  private static GrantedPart part(String uuid, Part part, SharingStrategy sharing, int overcommit) {
    return new GrantedPart(
        uuid, part, sharing, overcommit, false, Optional.empty(), Optional.empty());
  }

  private static GrantedPart whole(String uuid, SharingStrategy sharing, String request) {
    return new GrantedPart(
        uuid, new Part.Whole(), sharing, 100, false, Optional.empty(), Optional.of(request));
  }

  /** Static without a parent. */
  private static GrantedPart slice(Slice slice, String uuid, String inside) {
    return new GrantedPart(
        uuid,
        slice,
        SharingStrategy.NONE,
        100,
        inside.isEmpty(),
        Optional.of(inside).filter(claim -> !claim.isEmpty()).map(ClaimUid::new),
        Optional.empty());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("grants")
  void aHandleOfTodayIsReadAndWrittenAsItIs(String file, Grant grant) throws IOException {
    String golden =
        Resources.toString(Resources.getResource("handles/" + file), StandardCharsets.UTF_8);

    assertThat(HandleCodec.decode(golden)).isEqualTo(new DecodedHandle.Decoded(grant));
    assertThat(HandleCodec.encode(grant)).isEqualTo(golden);
  }
}
