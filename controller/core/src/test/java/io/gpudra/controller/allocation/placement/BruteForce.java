package io.gpudra.controller.allocation.placement;

import static io.gpudra.controller.allocation.placement.Worlds.A30;
import static io.gpudra.controller.allocation.placement.Worlds.gpu;
import static io.gpudra.crds.testing.GpuModels.profile;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import io.gpudra.controller.allocation.ledger.Hold;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.mig.MigLayout.Cut;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.ClaimRequest.Parent;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.usage.GpuShape;
import io.gpudra.crds.usage.GpuUsage;
import io.gpudra.crds.usage.PartHolding;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Every way to give every device of every claim a part, until one fits. */
final class BruteForce {
  private final NodeLedger ledger;
  private final List<Gpu> gpus;
  private final Set<Object> tried = new HashSet<>();

  BruteForce(NodeLedger ledger) {
    this.ledger = ledger;
    this.gpus = ledger.inventory().gpus();
  }

  boolean serves(List<ClaimRequest> claims) {
    List<ClaimRequest> devices = new ArrayList<>();
    List<ClaimRequest> parentsFirst =
        claims.stream().sorted(Comparator.comparing(claim -> depth(claim, claims))).toList();
    for (ClaimRequest claim : parentsFirst) {
      devices.addAll(Collections.nCopies(wish(claim).count(), claim));
    }
    return serves(devices, new ArrayList<>(ledger.usages()), List.of());
  }

  private static DeviceSubRequest wish(ClaimRequest claim) {
    return claim.alternatives().get(0).subRequests().get(0);
  }

  private boolean serves(List<ClaimRequest> left, List<GpuUsage> usages, List<PartHolding> chosen) {
    if (left.isEmpty() || !tried.add(List.of(left.size(), usages))) {
      return left.isEmpty();
    }
    ClaimRequest next = left.get(0);
    for (int i = 0; i < gpus.size(); i++) {
      for (GrantedPart part : parts(i, next)) {
        PartHolding holding = new PartHolding(next.uid(), part);
        if (!chosen.contains(holding)
            && mayHold(i, part)
            && isInside(i, part, chosen)
            && tolerates(next, i, part)) {
          List<GpuUsage> after = new ArrayList<>(usages);
          after.set(i, usages.get(i).with(holding));
          if (after.get(i).conflict().isEmpty()
              && serves(
                  left.subList(1, left.size()),
                  after,
                  ImmutableList.copyOf(Iterables.concat(chosen, List.of(holding))))) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** What the usage of one GPU cannot know. */
  private boolean mayHold(int gpu, GrantedPart part) {
    MigState mig = gpus.get(gpu).mig();
    boolean made = part.part() instanceof Part.Slice && !part.existing();
    return !made || mig.mode() == MigMode.ENABLED || mig.switchable();
  }

  private boolean tolerates(ClaimRequest claim, int gpu, GrantedPart part) {
    return !(part.part() instanceof Part.Slice slice)
        || gpus.get(gpu).mig().taintsIn(slice).stream()
            .allMatch(taint -> claim.tolerations().stream().anyMatch(one -> one.tolerates(taint)));
  }

  private static int depth(ClaimRequest claim, List<ClaimRequest> all) {
    return all.stream()
        .filter(other -> claim.inside().map(Parent::uid).equals(Optional.of(other.uid())))
        .mapToInt(parent -> 1 + depth(parent, all))
        .sum();
  }

  /** Whether the part is carved out of what its parent has or was just chosen to have. */
  private boolean isInside(int gpu, GrantedPart part, List<PartHolding> chosen) {
    if (part.inside().isEmpty()) {
      return true;
    }
    ClaimUid parent = part.inside().get();
    Stream<GrantedPart> held =
        Stream.ofNullable(ledger.holds().get(parent))
            .flatMap(Hold::devices)
            .filter(device -> device.parent() || device.part().part() instanceof Part.Whole)
            .map(device -> device.part());
    Stream<GrantedPart> own =
        chosen.stream().filter(h -> h.claim().equals(parent)).map(PartHolding::part);
    return Stream.concat(held, own)
        .filter(outer -> outer.gpuUuid().equals(part.gpuUuid()) && !outer.existing())
        .anyMatch(outer -> contains(gpu, outer.part(), (Part.Slice) part.part()));
  }

  private boolean contains(int gpu, Part outer, Part.Slice slice) {
    boolean inMigMode = gpus.get(gpu).mig().mode() == MigMode.ENABLED;
    return slice.instance().isEmpty()
        ? outer instanceof Part.Whole && inMigMode
        : outer instanceof Part.Slice around
            && around.instance().isEmpty()
            && around.sameInstance(slice);
  }

  private List<GrantedPart> parts(int gpu, ClaimRequest claim) {
    DeviceSubRequest subRequest = wish(claim);
    if (!subRequest
        .devicePredicate()
        .matches(ledger.inventory(), gpu, GpuModels.slice(A30, "1g", 0), "")) {
      return List.of();
    }
    String uuid = gpus.get(gpu).uuid();
    if (subRequest.kind() instanceof DeviceKind.Mig mig) {
      return slices(gpu, uuid, mig, claim);
    }
    Part part =
        subRequest.kind() instanceof DeviceKind.Share share
            ? new Part.Share(share.memoryBytes(), share.millicores())
            : new Part.Whole();
    int percent =
        subRequest.kind() instanceof DeviceKind.Share share ? share.overcommitPercent() : 100;
    return List.of(
        new GrantedPart(
            uuid, part, subRequest.sharing(), percent, false, Optional.empty(), Optional.empty()));
  }

  private List<GrantedPart> slices(
      int gpu, String uuid, DeviceKind.Mig wanted, ClaimRequest claim) {
    List<GrantedPart> parts = new ArrayList<>();
    for (MigProfile profile : A30.migProfiles()) {
      if (wanted.gpuInstance().filter(name -> !name.equals(profile.name())).isEmpty()) {
        for (int start : profile.starts()) {
          Part.Slice slice = Cut.slice(profile, start);
          instances(profile, wanted)
              .forEach(one -> parts.add(part(gpu, uuid, slice.with(one), claim)));
        }
      }
    }
    return parts;
  }

  private static Stream<Optional<Part.Instance>> instances(
      MigProfile profile, DeviceKind.Mig wanted) {
    return wanted.instance().isEmpty()
        ? Stream.of(Optional.empty())
        : IntStream.range(0, profile.compute() / wanted.instance().getAsInt())
            .mapToObj(i -> i * wanted.instance().getAsInt())
            .map(start -> Optional.of(new Part.Instance(start, wanted.instance().getAsInt())));
  }

  private GrantedPart part(int gpu, String uuid, Part.Slice slice, ClaimRequest claim) {
    boolean existing =
        GpuShape.of(gpus.get(gpu)).conflicts().contains(new GpuShape.Obstacle(slice, false));
    return new GrantedPart(
        uuid,
        slice,
        wish(claim).sharing(),
        100,
        existing && claim.inside().isEmpty(),
        claim.inside().map(Parent::uid),
        Optional.empty());
  }
}
