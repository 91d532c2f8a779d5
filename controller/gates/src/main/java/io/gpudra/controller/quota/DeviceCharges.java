package io.gpudra.controller.quota;

import static java.math.RoundingMode.CEILING;

import com.google.common.math.LongMath;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.usage.GpuFraction;
import java.util.Optional;

/**
 * What the devices of a claim count: the larger of their parts of memory and compute, rounded up. A
 * device that is both in the API and being written counts once.
 */
final class DeviceCharges {

  private DeviceCharges() {}

  /** A device, however often it is granted. */
  private record HeldPart(String gpuUuid, Part part) {}

  /** What the claim holds of the node; empty if it holds nothing there. */
  static Optional<QuotaCharge> of(NodeLedger ledger, ClaimUid claim) {
    Optional<QuotaCharge> held =
        Optional.ofNullable(ledger.holds().get(claim)).map(hold -> of(ledger, hold));
    return ledger.unreadable().containsKey(claim)
        ? Optional.of(QuotaCharge.UNKNOWN.plus(held.orElse(QuotaCharge.NONE)))
        : held;
  }

  private static QuotaCharge of(NodeLedger ledger, Hold hold) {
    return hold.devices()
        .map(GrantedDevice::part)
        .filter(part -> !isInside(ledger, part))
        .map(part -> new HeldPart(part.gpuUuid(), part.part()))
        .distinct()
        .map(part -> of(ledger, part))
        .reduce(QuotaCharge.NONE, QuotaCharge::plus);
  }

  /** Whether another claim holds the device out of which this one is carved. */
  private static boolean isInside(NodeLedger ledger, GrantedPart part) {
    return part.inside()
        .flatMap(parent -> Optional.ofNullable(ledger.holds().get(parent)))
        .filter(parent -> parent.names(part.gpuUuid()))
        .isPresent();
  }

  private static QuotaCharge of(NodeLedger ledger, HeldPart held) {
    return ledger.inventory().gpus().stream()
        .filter(gpu -> gpu.uuid().equals(held.gpuUuid()))
        .findFirst()
        .map(gpu -> of(gpu, held.part()))
        .orElse(QuotaCharge.UNKNOWN);
  }

  private static QuotaCharge of(Gpu gpu, Part part) {
    if (part instanceof Part.Slice slice) {
      return of(gpu, slice);
    }
    return part instanceof Part.Share share && gpu.memoryBytes() > 0
        ? new QuotaCharge(
            Math.max(share.millicores(), thousandths(share.memoryBytes(), gpu.memoryBytes())),
            share.memoryBytes())
        : new QuotaCharge(QuotaCharge.GPU, gpu.memoryBytes());
  }

  private static QuotaCharge of(Gpu gpu, Part.Slice slice) {
    long own = slice.instance().map(Part.Instance::compute).orElse(slice.compute());
    long shared = Math.max(own, slice.compute());
    long memory = thousandths(slice.size() * own, GpuFraction.memorySlices(gpu, slice) * shared);
    long compute = thousandths(own, Math.max(own, computeSlices(gpu)));
    return new QuotaCharge(Math.max(memory, compute), divide(memoryOf(gpu, slice) * own, shared));
  }

  private static long computeSlices(Gpu gpu) {
    return gpu.model().migProfiles().stream().mapToInt(MigProfile::compute).max().orElse(1);
  }

  /** The memory of all of the GPU instance. */
  private static long memoryOf(Gpu gpu, Part.Slice slice) {
    return gpu.model().migProfiles().stream()
        .filter(profile -> profile.name().equals(slice.profile()))
        .map(MigProfile::memoryBytes)
        .findFirst()
        .orElse(gpu.memoryBytes());
  }

  /** At most all of it: the node may report less than it had. */
  private static long thousandths(long part, long all) {
    return part >= all ? QuotaCharge.GPU : divide(QuotaCharge.GPU * part, all);
  }

  private static long divide(long part, long all) {
    return LongMath.divide(part, all, CEILING);
  }
}
