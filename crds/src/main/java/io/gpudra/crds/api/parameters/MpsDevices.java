package io.gpudra.crds.api.parameters;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec.Entry;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Devices of a claim that its clients use through its MPS server. A claim has one server, since a
 * container finds only one. A server has any number of whole GPUs, or one MIG device.
 *
 * @param served the requests for such devices
 * @param mig the requests for MIG devices
 */
record MpsDevices(
    GpuClaimParametersSpec claim, Predicate<DeviceRequest> served, Predicate<DeviceRequest> mig) {

  /** The devices that the claim itself requests. */
  static MpsDevices of(GpuClaimParametersSpec claim) {
    return new MpsDevices(
        claim, request -> isServed(request.sharing()), request -> request.migProfile() != null);
  }

  /** The devices that the claim requests, where a class decides what the claim leaves open. */
  static MpsDevices of(GpuClaimParametersSpec claim, GpuClassParametersSpec ofClass) {
    return new MpsDevices(
        claim,
        request -> isServed(request.sharing() == null ? ofClass.sharing() : request.sharing()),
        request -> request.migProfile() != null || ofClass.handsOutMigOnly());
  }

  private static boolean isServed(@Nullable SharingSpec sharing) {
    return sharing != null && sharing.strategyOrDefault().equals(SharingSpec.MPS);
  }

  /** The reason why one server is not enough. */
  Optional<String> problem() {
    return served(claim.entries()).stream()
        .filter(entry -> mig.test(entry.request()) && beside(entry) > 1)
        .map(
            entry ->
                "%s: an MPS server has one MIG device, and the claim wants %d devices with MPS; make"
                        .formatted(entry.path(), beside(entry))
                    + " a claim of each")
        .findFirst();
  }

  /** A claim gets only one of its alternatives. */
  private long beside(Entry entry) {
    ImmutableList<Entry> together =
        claim.alternatives() == null ? served(claim.entries()) : ImmutableList.of(entry);
    return together.stream().mapToLong(one -> one.request().countOrDefault()).sum();
  }

  private ImmutableList<Entry> served(ImmutableList<Entry> entries) {
    return entries.stream()
        .filter(entry -> served.test(entry.request()))
        .collect(ImmutableList.toImmutableList());
  }
}
