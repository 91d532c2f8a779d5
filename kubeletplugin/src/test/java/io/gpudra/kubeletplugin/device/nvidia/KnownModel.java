package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.collect.ImmutableList;
import io.gpudra.nvidia.EmulatedGpu;

/**
 * What NVIDIA's library tells of a kind of GPU.
 *
 * @param key of the emulated kernel
 * @param profile of fake nodes that has them, too
 * @param profiles with where they start and how many there can be
 */
record KnownModel(
    String key,
    String profile,
    String productName,
    long memoryMib,
    String architecture,
    String computeCapability,
    ImmutableList<String> profiles) {

  static final KnownModel A100 =
      new KnownModel(
          EmulatedGpu.A100,
          "a100-40",
          "NVIDIA A100-SXM4-40GB",
          40960,
          "Ampere",
          "8.0",
          ImmutableList.of(
              "1g.5gb@[0, 1, 2, 3, 4, 5, 6]x7",
              "1g.5gb+me@[0, 1, 2, 3, 4, 5, 6]x1",
              "1g.10gb@[0, 2, 4, 6]x4",
              "2g.10gb@[0, 2, 4]x3",
              "3g.20gb@[0, 4]x2",
              "4g.20gb@[0]x1",
              "7g.40gb@[0]x1"));

  static final KnownModel H100 =
      new KnownModel(
          EmulatedGpu.H100,
          "h100",
          "NVIDIA H100 80GB HBM3",
          81559,
          "Hopper",
          "9.0",
          ImmutableList.of(
              "1g.10gb@[0, 1, 2, 3, 4, 5, 6]x7",
              "1g.10gb+me@[0, 1, 2, 3, 4, 5, 6]x1",
              "1g.20gb@[0, 2, 4, 6]x4",
              "2g.20gb@[0, 2, 4]x3",
              "3g.40gb@[0, 4]x2",
              "4g.40gb@[0]x1",
              "7g.80gb@[0]x1"));

  /** The name of the profile of so many slices, of which there is one. */
  String ofCompute(int slices) {
    return profiles.stream()
        .map(profile -> profile.substring(0, profile.indexOf('@')))
        .filter(name -> name.startsWith(slices + "g."))
        .findFirst()
        .orElseThrow();
  }
}
