package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableLongArray;
import io.gpudra.controller.allocation.mig.MigLayout.Cut;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DevicePredicate;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The parts of a node's GPUs that could serve a sub-request, for any claim and regardless of use.
 * Computed once for all searches on the node at a time. Confined to one thread.
 */
public final class CandidateIndex {
  /** The limit, in units of some 50 bytes; beyond it, answers are computed again. */
  private static final int MAX_REMEMBERED = 10_000;

  private static final int GROUP = 6;

  private final Inventory inventory;
  private final ImmutableList<GpuCandidate> sites;
  private final Map<DeviceConstraints, ImmutableList<TopologyGroup>> groups = new HashMap<>();
  private final Map<Ask, Offer> offers = new HashMap<>();
  private int remembered;

  /** The answers of conditions, and those that were paid for. */
  private final Map<DeviceSubRequest, Offer> evaluated = new HashMap<>();

  private final Map<DeviceSubRequest, ImmutableLongArray> existing = new HashMap<>();
  private final Set<DeviceSubRequest> paid = new HashSet<>();
  private int answers;

  private record Ask(DeviceSubRequest subRequest, TopologyGroup group) {}

  /**
   * The parts of the node's GPUs.
   *
   * @param gpus that suit as a whole, as bits
   * @param cuts by GPU, the MIG devices that may be made, the smallest first; none for other kinds
   */
  record Offer(long gpus, ImmutableList<ImmutableList<Cut>> cuts) {
    private int size() {
      return 4 + cuts.stream().mapToInt(ofGpu -> 1 + ofGpu.size()).sum();
    }
  }

  CandidateIndex(Inventory inventory, ImmutableList<GpuCandidate> candidates) {
    this.inventory = inventory;
    this.sites = candidates;
  }

  /**
   * The groups of {@link TopologyGroup#of}. Where a connection is only preferred, those without it
   * follow.
   */
  public ImmutableList<TopologyGroup> groups(
      DeviceConstraints deviceConstraints, SearchBudget budget) {
    ImmutableList<TopologyGroup> known = groups.get(deviceConstraints);
    if (known == null) {
      known = findGroups(deviceConstraints, budget);
      if (!budget.spent()) {
        makeRoom(GROUP * known.size());
        groups.put(deviceConstraints, known);
      }
    }
    return known;
  }

  private ImmutableList<TopologyGroup> findGroups(
      DeviceConstraints deviceConstraints, SearchBudget budget) {
    ImmutableList<TopologyGroup> groups = TopologyGroup.of(inventory, deviceConstraints, budget);
    boolean preferred =
        deviceConstraints.topology().filter(linked -> !linked.required()).isPresent();
    return preferred
        ? ImmutableList.<TopologyGroup>builder()
            .addAll(groups)
            .addAll(
                TopologyGroup.of(
                    inventory,
                    new DeviceConstraints(Optional.empty(), deviceConstraints.same()),
                    budget))
            .build()
        : groups;
  }

  /**
   * Whether the budget covers the evaluation of the condition, if it is dear or needed for each
   * device separately.
   */
  public boolean mayAsk(DeviceSubRequest subRequest, SearchBudget budget) {
    long steps = subRequest.devicePredicate().steps();
    return steps == 0
        || paid.contains(subRequest)
        || (budget.mayAsk(steps * devices(subRequest)) && paid.add(subRequest));
  }

  /** The GPUs that suit as a whole, as bits, for a condition that was paid for. */
  public long gpus(DeviceSubRequest subRequest) {
    return evaluated(subRequest).gpus();
  }

  private int devices(DeviceSubRequest subRequest) {
    return subRequest.kind() instanceof DeviceKind.Mig mig
        ? makeable(mig, subRequest.devicePredicate()) + existing(mig, subRequest.devicePredicate())
        : sites.size();
  }

  private int makeable(DeviceKind.Mig mig, DevicePredicate condition) {
    return sites.stream()
        .flatMap(candidate -> candidate.layout().profiles().stream())
        .filter(profile -> mig.isOf(profile.name()))
        .mapToInt(profile -> places(condition, profile))
        .sum();
  }

  private int existing(DeviceKind.Mig mig, DevicePredicate condition) {
    return condition.tellsMigDevicesApart()
        ? sites.stream().mapToInt(candidate -> Long.bitCount(candidate.existing(mig))).sum()
        : 0;
  }

  private static int places(DevicePredicate condition, MigProfile profile) {
    return condition.differsBetweenPlaces() ? profile.starts().size() : 1;
  }

  Offer of(DeviceSubRequest subRequest, TopologyGroup group) {
    if (group.equals(TopologyGroup.ALL)) {
      return evaluated(subRequest);
    }
    Ask ask = new Ask(subRequest, group);
    Offer known = offers.get(ask);
    if (known == null) {
      known = within(group, evaluated(subRequest));
      makeRoom(known.size());
      offers.put(ask, known);
    }
    return known;
  }

  /** The same for all sets of devices, of which a node may have hundreds. */
  private Offer evaluated(DeviceSubRequest subRequest) {
    Offer known = evaluated.get(subRequest);
    if (known == null) {
      known = evaluate(subRequest);
      makeRoomForAnswers(subRequest, known.size());
      evaluated.put(subRequest, known);
    }
    return known;
  }

  /** Whether an existing MIG device of the GPU satisfies the condition. */
  boolean suits(DeviceSubRequest subRequest, GpuCandidate candidate, MigState.Device device) {
    int place = candidate.gpu().mig().devices().indexOf(device);
    return (existing(subRequest).get(candidate.index()) >> place & 1) == 1;
  }

  /**
   * By GPU, the existing MIG devices that satisfy the condition, as bits: in the order of the
   * GPU's, in use or not.
   */
  private ImmutableLongArray existing(DeviceSubRequest subRequest) {
    ImmutableLongArray known = existing.get(subRequest);
    if (known == null) {
      Existing answers = new Existing(subRequest);
      known = ImmutableLongArray.copyOf(sites.stream().mapToLong(answers::on));
      makeRoomForAnswers(subRequest, known.length());
      existing.put(subRequest, known);
    }
    return known;
  }

  /** A pod may have hundreds of sub-requests, and a node hundreds of groups for each. */
  private void makeRoom(int more) {
    remembered += more;
    if (remembered > MAX_REMEMBERED) {
      groups.clear();
      offers.clear();
      remembered = more;
    }
  }

  /**
   * What was paid for is kept: it would be evaluated again for nothing, and the budget bounds it.
   */
  private void makeRoomForAnswers(DeviceSubRequest subRequest, int more) {
    answers += paid.contains(subRequest) ? 0 : more;
    if (answers > MAX_REMEMBERED) {
      evaluated.keySet().retainAll(paid);
      existing.keySet().retainAll(paid);
      answers = more;
    }
  }

  private Offer evaluate(DeviceSubRequest subRequest) {
    DevicePredicate condition = subRequest.devicePredicate();
    return subRequest.kind() instanceof DeviceKind.Mig mig
        ? new Offer(0, new Slicing(condition, mig).cuts())
        : new Offer(condition.matching(inventory), ImmutableList.of());
  }

  private Offer within(TopologyGroup group, Offer all) {
    return new Offer(
        all.gpus == 0 ? 0 : group.whole(all.gpus, inventory),
        all.cuts.isEmpty() ? all.cuts : cuts(all, group));
  }

  private ImmutableList<ImmutableList<Cut>> cuts(Offer all, TopologyGroup group) {
    return sites.stream()
        .map(GpuCandidate::index)
        .map(
            gpu ->
                all.cuts.get(gpu).stream()
                    .filter(cut -> group.slices(gpu, cut.profile()))
                    .collect(toImmutableList()))
        .collect(toImmutableList());
  }

  /** The MIG devices of the profile, or of any profile, that could be made. */
  private final class Slicing {
    private final DevicePredicate condition;
    private final DeviceKind.Mig mig;
    private final Map<MigProfile, long[]> known = new HashMap<>();

    Slicing(DevicePredicate condition, DeviceKind.Mig mig) {
      this.condition = condition;
      this.mig = mig;
    }

    ImmutableList<ImmutableList<Cut>> cuts() {
      return sites.stream().map(this::cuts).collect(toImmutableList());
    }

    private ImmutableList<Cut> cuts(GpuCandidate candidate) {
      ImmutableList.Builder<Cut> cuts = ImmutableList.builder();
      for (MigProfile one : candidate.layout().profiles().reverse()) {
        if (mig.isOf(one.name())) {
          long starts = known.computeIfAbsent(one, this::starts)[candidate.index()];
          if (starts != 0) {
            cuts.add(new Cut(one, starts));
          }
        }
      }
      return cuts.build();
    }

    /** By GPU: the starts at which a MIG device of the profile suits. */
    private long[] starts(MigProfile one) {
      long[] starts = new long[Long.SIZE];
      boolean alike = !condition.differsBetweenPlaces();
      long gpus = 0;
      for (int start : one.starts()) {
        if (!alike || start == one.starts().first()) {
          gpus = condition.matching(inventory, Cut.slice(one, start));
        }
        for (long left = gpus; left != 0; left &= left - 1) {
          starts[Long.numberOfTrailingZeros(left)] |= 1L << start;
        }
      }
      return starts;
    }
  }

  /** The existing MIG devices of the profile, or of any profile, that satisfy a condition. */
  private final class Existing {
    private final DeviceSubRequest subRequest;

    /** By kind of MIG device, the GPUs on which one suits; unused if it tells them apart. */
    private final Map<Alike, Long> known = new HashMap<>();

    private record Alike(String profile, Optional<Integer> compute) {
      static Alike of(Part.Slice slice) {
        return new Alike(slice.profile(), slice.instance().map(Part.Instance::compute));
      }
    }

    Existing(DeviceSubRequest subRequest) {
      this.subRequest = subRequest;
    }

    long on(GpuCandidate candidate) {
      ImmutableList<MigState.Device> devices = candidate.gpu().mig().devices();
      long suiting = 0;
      long asked = candidate.existing((DeviceKind.Mig) subRequest.kind());
      for (long left = asked; left != 0; left &= left - 1) {
        MigState.Device device = devices.get(Long.numberOfTrailingZeros(left));
        suiting |= suits(candidate.index(), device) ? Long.lowestOneBit(left) : 0;
      }
      return suiting;
    }

    private boolean suits(int gpu, MigState.Device device) {
      DevicePredicate condition = subRequest.devicePredicate();
      if (condition.tellsMigDevicesApart()) {
        return condition.matches(inventory, gpu, device.slice(), device.uuid());
      }
      long gpus =
          known.computeIfAbsent(
              Alike.of(device.slice()), alike -> condition.matching(inventory, device.slice()));
      return (gpus >>> gpu & 1) == 1;
    }
  }
}
