package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.mig.MigLayout.Cut;
import io.gpudra.controller.allocation.refusal.TaintFilter;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.MigState;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * A sub-request of a claim, and the devices of the node that could serve it, in use or not.
 *
 * @param claim one claim of the search problem
 * @param gpus the GPUs that suit as a whole, as bits
 * @param cuts by GPU, the MIG devices that may be made, the smallest first; none for other kinds
 * @param existing by GPU, the existing MIG devices that suit; empty if no GPU has any
 */
public record RequestCandidates(
    IndexedClaim claim,
    DeviceSubRequest subRequest,
    int count,
    long gpus,
    ImmutableList<ImmutableList<Cut>> cuts,
    ImmutableList<ImmutableList<MigState.Device>> existing) {

  public static RequestCandidates of(
      IndexedClaim claim, DeviceSubRequest subRequest, TopologyGroup group, SearchProblem problem) {
    CandidateIndex.Offer offer = problem.candidateIndex().of(subRequest, group);
    long repelling = TaintFilter.repelling(problem.inventory(), claim.request());
    if (!(subRequest.kind() instanceof DeviceKind.Mig mig)) {
      int count = subRequest.all() ? Long.bitCount(offer.gpus()) : subRequest.count();
      return new RequestCandidates(
          claim,
          subRequest,
          count,
          offer.gpus() & ~repelling,
          ImmutableList.of(),
          ImmutableList.of());
    }
    return new RequestCandidates(
        claim,
        subRequest,
        subRequest.count(),
        0,
        repelling == 0 ? offer.cuts() : but(repelling, offer.cuts()),
        new Existing(problem, claim, subRequest, mig, group, repelling).devices());
  }

  private static ImmutableList<ImmutableList<Cut>> but(
      long repelling, ImmutableList<ImmutableList<Cut>> cuts) {
    return IntStream.range(0, cuts.size())
        .mapToObj(gpu -> has(repelling, gpu) ? ImmutableList.<Cut>of() : cuts.get(gpu))
        .collect(toImmutableList());
  }

  private static boolean has(long gpus, int gpu) {
    return (gpus >> gpu & 1) == 1;
  }

  ClaimRequest request() {
    return claim.request();
  }

  /** Whether the devices are carved out of those of another claim. */
  boolean isCarved() {
    return request().inside().isPresent();
  }

  /** Whether the GPU suits as a whole or for a share. */
  public boolean accepts(GpuCandidate candidate) {
    return has(gpus, candidate.index());
  }

  /** The MIG devices that may be made of the GPU, the smallest first. */
  public ImmutableList<Cut> cutsOf(GpuCandidate candidate) {
    return cuts.isEmpty() ? ImmutableList.of() : cuts.get(candidate.index());
  }

  /** Whether existing MIG devices suit, on any GPU. */
  boolean hasExisting() {
    return existing.stream().anyMatch(there -> !there.isEmpty());
  }

  /** Existing MIG devices that suit. */
  public ImmutableList<MigState.Device> existingOf(GpuCandidate candidate) {
    return existing.isEmpty() ? ImmutableList.of() : existing.get(candidate.index());
  }

  /**
   * A hash of what the GPU can give: equal for GPUs that {@link #acceptsEqually} accepts, and
   * rarely for others.
   */
  int preferenceHash(GpuCandidate candidate) {
    int liking = accepts(candidate) ? 1 : 0;
    for (Cut cut : cutsOf(candidate)) {
      liking = 31 * liking + Long.hashCode(cut.starts());
    }
    return 31 * liking + existingOf(candidate).size();
  }

  /** Whether both GPUs can serve this demand in the same way. */
  boolean acceptsEqually(GpuCandidate one, GpuCandidate other) {
    return accepts(one) == accepts(other)
        && cutsOf(one).equals(cutsOf(other))
        && slices(existingOf(one)).equals(slices(existingOf(other)));
  }

  private static ImmutableList<Part.Slice> slices(ImmutableList<MigState.Device> devices) {
    return devices.isEmpty()
        ? ImmutableList.of()
        : devices.stream().map(MigState.Device::slice).collect(toImmutableList());
  }

  /** The compute slices of the wanted compute instance, if any. */
  public OptionalInt instance() {
    return subRequest.kind() instanceof DeviceKind.Mig mig ? mig.instance() : OptionalInt.empty();
  }

  /** Existing MIG devices that could serve the sub-request. */
  private record Existing(
      SearchProblem problem,
      IndexedClaim claim,
      DeviceSubRequest subRequest,
      DeviceKind.Mig mig,
      TopologyGroup group,
      long repelling) {

    ImmutableList<ImmutableList<MigState.Device>> devices() {
      return problem.noneExists() || isCarved()
          ? ImmutableList.of()
          : problem.sites().stream().map(this::devices).collect(toImmutableList());
    }

    /** Only MIG devices of this driver are divided, and a carved device never exists beforehand. */
    private boolean isCarved() {
      return claim.parent() || claim.request().inside().isPresent() || mig.instance().isPresent();
    }

    private ImmutableList<MigState.Device> devices(GpuCandidate candidate) {
      return has(repelling, candidate.index())
          ? ImmutableList.of()
          : candidate.existing().stream()
              .filter(device -> will(candidate, device))
              .collect(toImmutableList());
    }

    private boolean will(GpuCandidate candidate, MigState.Device device) {
      String name = device.slice().profile();
      return !TaintFilter.keepAway(device.taints(), claim.request())
          && mig.isOf(name)
          && candidate.gpu().model().migProfiles().stream()
              .anyMatch(one -> one.name().equals(name) && group.slices(candidate.index(), one))
          && problem.candidateIndex().suits(subRequest, candidate, device);
    }
  }
}
