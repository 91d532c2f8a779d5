package io.gpudra.bench.micro;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.bench.sample.SampleNode;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.Placement;
import io.gpudra.controller.allocation.placement.PodPlacer;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DevicePredicate;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Inventory;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Pods whose claims want overlapping sets of devices, all of them possible on one free node; the
 * same ones each time.
 */
record Batches(NodeLedger node, ImmutableList<PodRequest> requests) {
  static final int COUNT = 64;
  private static final int CLAIMS = 3;
  private static final long SEED = 1;
  private static final double PER_CENT = 100;

  /** What matches is known beforehand: only placing is of interest. */
  private record Among(long devices) implements DevicePredicate {

    @Override
    public boolean differsBetweenPlaces() {
      return false;
    }

    @Override
    public boolean differsBetweenNodes() {
      return false;
    }

    @Override
    public long matching(Inventory inventory) {
      return devices;
    }

    @Override
    public long matching(Inventory inventory, Part.Slice slice) {
      return matching(inventory);
    }

    @Override
    public String text() {
      return "";
    }
  }

  static Batches on(int devices) {
    Random random = new Random(SEED);
    NodeLedger node = NodeLedger.of(new SampleNode("node", devices, 60).inventory());
    return new Batches(
        node,
        Stream.generate(() -> request(devices, random))
            .filter(
                request ->
                    PodPlacer.place(node, request, new SearchBudget()) instanceof Placement.Fits)
            .limit(COUNT)
            .collect(ImmutableList.toImmutableList()));
  }

  private static PodRequest request(int devices, Random random) {
    return new PodRequest(
        IntStream.range(0, CLAIMS)
            .mapToObj(i -> claim(i, devices, random))
            .collect(ImmutableList.toImmutableList()));
  }

  private static ClaimRequest claim(int i, int devices, Random random) {
    return new ClaimRequest(
        new ClaimUid("uid-" + i),
        new ClaimRef("default", "claim-" + i),
        ImmutableList.of(
            new RequestAlternative(
                ImmutableList.of(
                    DeviceSubRequest.whole(
                        1 + random.nextInt(devices / CLAIMS),
                        new Among(random.nextLong() & ((1L << devices) - 1)))),
                DeviceConstraints.ANYHOW)),
        Optional.empty(),
        AllocationPolicy.PACK,
        ImmutableList.of(),
        OptionalLong.empty(),
        Optional.empty(),
        /* mayStillBePrepared= */ false,
        /* demand= */ Optional.empty());
  }

  Placement exact(PodRequest request) {
    return PodPlacer.place(node, request, new SearchBudget());
  }

  /** Claim by claim, each taking the first devices that are left; empty when it runs out. */
  Optional<Placement> firstFit(PodRequest request) {
    ImmutableMap.Builder<ClaimUid, ImmutableList<GrantedDevice>> all = ImmutableMap.builder();
    long free = -1;
    for (ClaimRequest claim : request.claims()) {
      DeviceSubRequest subRequest = claim.alternatives().get(0).subRequests().get(0);
      ImmutableList.Builder<GrantedDevice> devices = ImmutableList.builder();
      long candidates = free & subRequest.devicePredicate().matching(node.inventory());
      if (Long.bitCount(candidates) < subRequest.count()) {
        return Optional.empty();
      }
      for (int i = 0; i < subRequest.count(); i++) {
        long device = Long.lowestOneBit(candidates);
        candidates &= ~device;
        free &= ~device;
        devices.add(named(Long.numberOfTrailingZeros(device)));
      }
      all.put(claim.uid(), devices.build());
    }
    return Optional.of(new Placement.Fits(all.buildOrThrow()));
  }

  private GrantedDevice named(int device) {
    var gpu = node.inventory().gpus().get(device);
    return new GrantedDevice(gpu.name(), gpu.uuid());
  }

  /** The share of possible requests that first-fit refuses, in per cent. */
  static double lost(int devices) {
    Batches batches = on(devices);
    long refused =
        batches.requests().stream().filter(one -> batches.firstFit(one).isEmpty()).count();
    return PER_CENT * refused / COUNT;
  }
}
