package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.api.parameters.DeviceRequest;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Share;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.Part.Whole;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.SharingStrategy.Interval;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.usage.PartHolding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Whether there is a way to serve claims on one machine, found by trying all of them.
 *
 * @param gpus that claims may have something of
 * @param held of all of its GPUs
 */
record Fit(ImmutableList<Gpu> gpus, List<PartHolding> held) {

  /** A device of a claim that is still to be found. */
  private record Want(ClaimUid claim, DeviceRequest request) {}

  boolean fits(ImmutableMap<ClaimUid, GpuClaimParametersSpec> claims) {
    return fits(ImmutableList.copyOf(claims.entrySet()), ImmutableList.of());
  }

  private boolean fits(
      List<Map.Entry<ClaimUid, GpuClaimParametersSpec>> claims, ImmutableList<Want> wanted) {
    if (claims.isEmpty()) {
      return find(wanted, 0);
    }
    ClaimUid claim = claims.get(0).getKey();
    return ways(claims.get(0).getValue()).stream()
        .anyMatch(way -> fits(claims.subList(1, claims.size()), with(wanted, claim, way)));
  }

  private static ImmutableList<List<DeviceRequest>> ways(GpuClaimParametersSpec spec) {
    List<DeviceRequest> entries =
        spec.entries().stream().map(GpuClaimParametersSpec.Entry::request).toList();
    return spec.requests() == null
        ? entries.stream().map(List::of).collect(ImmutableList.toImmutableList())
        : ImmutableList.of(entries);
  }

  private static ImmutableList<Want> with(
      List<Want> wanted, ClaimUid claim, List<DeviceRequest> way) {
    ImmutableList.Builder<Want> more = ImmutableList.<Want>builder().addAll(wanted);
    for (DeviceRequest request : way) {
      for (int i = 0; i < request.countOrDefault(); i++) {
        more.add(new Want(claim, request));
      }
    }
    return more.build();
  }

  /**
   * Finds these devices.
   *
   * @param from candidates before it were tried for a device like the first
   */
  private boolean find(List<Want> wanted, int from) {
    if (wanted.isEmpty()) {
      return true;
    }
    Want first = wanted.get(0);
    List<Want> rest = wanted.subList(1, wanted.size());
    boolean more = !rest.isEmpty() && rest.get(0).equals(first);
    List<PartHolding> candidates = candidates(first);
    for (int i = from; i < candidates.size(); i++) {
      PartHolding candidate = candidates.get(i);
      if (!held.contains(candidate) && fits(candidate)) {
        Fit with = new Fit(gpus, with(candidate));
        if (with.find(rest, more ? i + 1 : 0)) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean fits(PartHolding candidate) {
    Gpu gpu = gpus.stream().filter(one -> isOf(one, candidate)).findFirst().orElseThrow();
    return Division.problem(
            gpu, with(candidate).stream().filter(holding -> isOf(gpu, holding)).toList())
        .isEmpty();
  }

  private static boolean isOf(Gpu gpu, PartHolding holding) {
    return holding.part().gpuUuid().equals(gpu.uuid());
  }

  private List<PartHolding> with(PartHolding one) {
    List<PartHolding> all = new ArrayList<>(held);
    all.add(one);
    return all;
  }

  private List<PartHolding> candidates(Want want) {
    return gpus.stream().flatMap(gpu -> candidates(gpu, want)).toList();
  }

  private static Stream<PartHolding> candidates(Gpu gpu, Want want) {
    DeviceRequest request = want.request();
    if (request.migProfile() != null) {
      return Stream.concat(
          gpu.mig().devices().stream()
              .filter(device -> !device.foreign())
              .map(MigState.Device::slice)
              .filter(slice -> slice.profile().equals(request.migProfile()))
              .map(slice -> holding(gpu, want, slice, /* existing= */ true)),
          gpu.model().migProfiles().stream()
              .filter(profile -> profile.name().equals(request.migProfile()))
              .flatMap(Fit::slices)
              .map(slice -> holding(gpu, want, slice, /* existing= */ false)));
    }
    Part part =
        request.memoryLimit() == null
            ? new Whole()
            : new Share(
                request.memoryLimitBytes().orElseThrow(),
                request.millicores() == null ? 0 : request.millicores());
    return Stream.of(holding(gpu, want, part, /* existing= */ false));
  }

  private static Stream<Slice> slices(MigProfile profile) {
    return profile.starts().stream()
        .map(
            start ->
                new Slice(
                    profile.name(), start, profile.size(), profile.compute(), Optional.empty()));
  }

  private static PartHolding holding(Gpu gpu, Want want, Part part, boolean existing) {
    return new PartHolding(
        want.claim(),
        new GrantedPart(
            gpu.uuid(), part, sharing(want), 100, existing, Optional.empty(), Optional.empty()));
  }

  /** As far as it keeps shares from each other. */
  private static SharingStrategy sharing(Want want) {
    if (want.request().sharing() == null) {
      return SharingStrategy.NONE;
    }
    return want.request().sharing().timeSlicingConfig() == null
        ? new SharingStrategy.Mps(OptionalInt.empty(), OptionalLong.empty())
        : new SharingStrategy.TimeSlicing(Interval.LONG);
  }
}
