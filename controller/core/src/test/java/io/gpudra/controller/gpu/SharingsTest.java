package io.gpudra.controller.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.SharingStrategy.Interval;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How the clients of a claim share its devices, once every field has its effect. */
class SharingsTest {

  private static final long GIBI = 1L << 30;

  private static final String MPS = "{'sharing':{'strategy':'MPS'}}";
  private static final String LIMITS =
      "'sharing':{'strategy':'MPS','mpsConfig':{'defaultActiveThreadPercentage':50,"
          + "'defaultPinnedDeviceMemoryLimit':'2Gi'}}";
  private static final String BIG =
      "{'sharing':{'strategy':'MPS','mpsConfig':{'defaultActiveThreadPercentage':80,"
          + "'defaultPinnedDeviceMemoryLimit':'30Gi'}}}";

  private final ParametersFixture read = new ParametersFixture();

  static Stream<Arguments> sharings() {
    return Stream.of(
        arguments("{}", "{}", SharingStrategy.NONE),
        arguments("{}", "{'sharing':{}}", SharingStrategy.NONE),
        arguments(
            "{'sharing':{'timeSlicingConfig':{'interval':'Long'}}}",
            "{}",
            new SharingStrategy.TimeSlicing(Interval.LONG)),
        arguments(
            MPS,
            "{'sharing':{'timeSlicingConfig':{'interval':'Short'}}}",
            new SharingStrategy.TimeSlicing(Interval.SHORT)),
        arguments(MPS, "{}", mps(OptionalInt.empty(), OptionalLong.empty())),
        arguments(
            "{}", "{%s}".formatted(LIMITS), mps(OptionalInt.of(50), OptionalLong.of(2 * GIBI))),
        arguments(
            "{}",
            "{'sharing':{'strategy':'SpacePartitioning','spacePartitioningConfig':"
                + "{'partitionCount':10}}}",
            new SharingStrategy.SpacePartitioning(10)));
  }

  /** Of shares, whose clients have the limits of the share. */
  static Stream<Arguments> shares() {
    return Stream.of(
        arguments(
            MPS,
            "{'memoryLimit':'4Gi','millicores':255}",
            mps(OptionalInt.of(25), OptionalLong.of(4 * GIBI))),
        arguments(
            MPS, "{'memoryLimit':'4Gi'}", mps(OptionalInt.empty(), OptionalLong.of(4 * GIBI))),
        arguments(
            MPS,
            "{'memoryLimit':'4Gi','millicores':5}",
            mps(OptionalInt.of(1), OptionalLong.of(4 * GIBI))),
        arguments(
            "{}",
            "{'memoryLimit':'4Gi','millicores':900,%s}".formatted(LIMITS),
            mps(OptionalInt.of(50), OptionalLong.of(2 * GIBI))),
        arguments(
            BIG,
            "{'memoryLimit':'4Gi','millicores':200}",
            mps(OptionalInt.of(20), OptionalLong.of(4 * GIBI))));
  }

  private static SharingStrategy mps(OptionalInt threads, OptionalLong bytes) {
    return new SharingStrategy.Mps(threads, bytes);
  }

  @ParameterizedTest
  @MethodSource({"sharings", "shares"})
  void theClaimSaysHowADeviceIsSharedElseTheClass(
      String ofClass, String ofClaim, SharingStrategy sharing) {
    assertThat(read.wish(ofClass, ofClaim).sharing()).isEqualTo(sharing);
  }

  @Test
  void singleDevicesMayHaveTheirOwnLimit() {
    DeviceSubRequest subRequest =
        read.wish(
            "{}",
            "{'count':3,'sharing':{'strategy':'MPS','mpsConfig':{"
                + "'defaultPinnedDeviceMemoryLimit':'2Gi',"
                + "'defaultPerDevicePinnedMemoryLimit':{'1':'3Gi','2':null,'GPU-a1':'5Gi'}}}}");

    assertThat(subRequest.sharing(0, "GPU-b")).isEqualTo(limited(2));
    assertThat(subRequest.sharing(1, "GPU-b")).isEqualTo(limited(3));
    assertThat(subRequest.sharing(2, "GPU-b")).isEqualTo(limited(2));
    assertThat(subRequest.sharing(1, "GPU-a1")).isEqualTo(limited(5));
  }

  @Test
  void noClientOfAShareMayUseMoreThanTheShare() {
    DeviceSubRequest subRequest =
        read.wish(
            "{'sharing':{'strategy':'MPS','mpsConfig':{"
                + "'defaultPerDevicePinnedMemoryLimit':{'0':'30Gi'}}}}",
            "{'memoryLimit':'4Gi'}");

    assertThat(subRequest.sharing(0, "GPU-a")).isEqualTo(limited(4));
  }

  private static SharingStrategy limited(long gibi) {
    return mps(OptionalInt.empty(), OptionalLong.of(gibi * GIBI));
  }

  @Test
  void aPartitionedGpuIsNotShared() {
    String partitioned =
        "{'sharing':{'strategy':'SpacePartitioning','spacePartitioningConfig':{'partitionCount':4}}";
    String problem =
        ".sharing.strategy: SpacePartitioning divides a whole GPU; it cannot be combined with mode:"
            + " shared";

    assertThat(read.problems("{}", partitioned + ",'memoryLimit':'4Gi'}"))
        .containsExactly("spec" + problem);
    assertThat(
            read.problems(
                partitioned + ",'mode':'shared'}",
                "{'requests':[{'name':'a','memoryLimit':'1Gi','sharing':{}},"
                    + "{'name':'b','memoryLimit':'1Gi'}]}"))
        .containsExactly("spec.requests[1]" + problem);
  }
}
