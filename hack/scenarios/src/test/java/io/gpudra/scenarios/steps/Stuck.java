package io.gpudra.scenarios.steps;

import static com.google.common.base.Predicates.not;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNullElse;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import com.google.common.collect.LinkedListMultimap;
import com.google.common.collect.ListMultimap;
import com.google.common.collect.Streams;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.usage.PartHolding;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Resource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Finds who still waits although nothing stands in the way, by a judgement of its own. */
record Stuck(World world, Grants grants) {
  /** More devices than a node has. */
  private static final int MANY = 100;

  /** What a pod, or several, want of one node. */
  private record Wanted(ImmutableList<ClaimFacts> claims, Size size) {
    static Wanted together(List<Wanted> pods) {
      return new Wanted(
          pods.stream().flatMap(pod -> pod.claims().stream()).collect(toImmutableList()),
          pods.stream().map(Wanted::size).reduce(Size.NONE, Size::plus));
    }
  }

  void check() {
    world.claims().stream()
        .map(Seen::facts)
        .filter(claim -> claim.mode() == Mode.IMMEDIATE && claim.allocation().isEmpty())
        .filter(claim -> !claim.ending() && mayHold(ImmutableList.of(claim)))
        .filter(claim -> fitsSomewhere(new Wanted(ImmutableList.of(claim), Size.NONE)))
        .forEach(claim -> world.broken("Immediate claim " + claim.ref() + " waits"));
    world.api().list(Resource.PODS).stream().map(Pod::new).forEach(this::check);
  }

  private void check(Pod pod) {
    Optional<ImmutableList<ClaimFacts>> claims = claims(pod);
    if (isOver(pod) || isHeldBack(pod) || claims.isEmpty() || isBeyondJudgement(claims.get())) {
      return;
    }
    if (pod.node().isEmpty()) {
      boolean could =
          claims.get().stream().noneMatch(ClaimFacts::ending)
              && claims.get().stream().allMatch(claim -> usableBy(pod, claim))
              && mayHold(claims.get())
              && fitsSomewhere(new Wanted(claims.get(), Size.of(pod)));
      if (could) {
        world.broken("pod " + Meta.key(pod.json()) + " waits for a node that would do");
      }
    } else if (!runs(pod) && couldStart(pod, claims.get())) {
      world.broken(
          "pod "
              + Meta.key(pod.json())
              + " does not start on "
              + pod.node()
              + ": "
              + pod.json()
              + world.api().list(Resource.EVENTS));
    }
  }

  private boolean isHeldBack(Pod pod) {
    return pod.node().isEmpty() && new AtGates(world, grants, this).isHeldBack(pod);
  }

  /** Whether these could run together: surely, and by what is free now. */
  boolean couldStart(ImmutableList<Pod> pods) {
    ImmutableList.Builder<Wanted> wanted = ImmutableList.builder();
    Set<ClaimUid> all = new HashSet<>();
    for (Pod pod : pods) {
      Optional<ImmutableList<ClaimFacts>> claims = claims(pod);
      boolean usable =
          claims.isPresent()
              && !isBeyondJudgement(claims.get())
              && claims.get().stream().allMatch(claim -> isOwn(pod, claim) && all.add(claim.uid()));
      if (!usable) {
        return false;
      }
      wanted.add(new Wanted(claims.get(), Size.of(pod)));
    }
    ImmutableList<Wanted> ofPods = wanted.build();
    return mayHold(Wanted.together(ofPods).claims())
        && fitTogether(ofPods, LinkedListMultimap.create());
  }

  private static boolean isOwn(Pod pod, ClaimFacts claim) {
    return !isOfAnother(claim)
        && claim.mode() == Mode.DELAYED
        && !claim.ending()
        && usableBy(pod, claim);
  }

  /** Tries each machine for each pod. */
  private boolean fitTogether(List<Wanted> pods, ListMultimap<Machine, Wanted> chosen) {
    if (pods.isEmpty()) {
      return chosen.keySet().stream()
          .allMatch(machine -> fits(machine, Wanted.together(chosen.get(machine))));
    }
    for (Machine machine : world.machines()) {
      ListMultimap<Machine, Wanted> more = LinkedListMultimap.create(chosen);
      more.put(machine, pods.get(0));
      if (fitTogether(pods.subList(1, pods.size()), more)) {
        return true;
      }
    }
    return false;
  }

  /** The only claim of a pod, if it is for one whole GPU and could be granted to the pod. */
  Optional<ClaimFacts> onlyClaim(Pod pod) {
    return claims(pod)
        .filter(claims -> !pod.deleting() && !pod.terminal() && !AtGates.isNowhere(pod))
        .filter(claims -> claims.size() == 1)
        .map(claims -> claims.get(0))
        .filter(claim -> claim.allocation().isEmpty() && isOwn(pod, claim))
        .filter(claim -> spec(claim).filter(Wants.spec("one")::equals).isPresent());
  }

  /** Whether the pod needs no node, or gets none. */
  private static boolean isOver(Pod pod) {
    return pod.terminal() || pod.deleting() || pod.gated() || AtGates.isNowhere(pod);
  }

  /**
   * Of shares, and of devices with a server, a container can use one. What is carved out of another
   * claim waits for more than room.
   */
  private boolean isBeyondJudgement(ImmutableList<ClaimFacts> claims) {
    return claims.stream().filter(this::isShareOrServed).count() > 1
        || claims.stream()
            .flatMap(claim -> spec(claim).stream())
            .anyMatch(spec -> spec.insideClaim() != null);
  }

  private boolean isShareOrServed(ClaimFacts claim) {
    return grants
        .of(claim.uid())
        .map(entry -> entry.holdings().anyMatch(held -> isShareOrServed(held.part())))
        .or(() -> spec(claim).map(spec -> spec.memoryLimit() != null || spec.sharing() != null))
        .orElse(false);
  }

  private static boolean isShareOrServed(GrantedPart part) {
    return part.part() instanceof Part.Share
        || !(part.sharing() instanceof SharingStrategy.TimeSlicing);
  }

  /** Its status may be of an earlier boot. */
  private boolean runs(Pod pod) {
    return world.actors().containers().stream()
        .anyMatch(
            container -> container.running() && container.identity().podUid().equals(pod.uid()));
  }

  /** Empty when one of them is not there. */
  private Optional<ImmutableList<ClaimFacts>> claims(Pod pod) {
    ImmutableSet.Builder<ClaimFacts> claims = ImmutableSet.builder();
    for (Pod.ClaimEntry entry : pod.claims(Profile.V1_30)) {
      Optional<ClaimFacts> claim =
          world
              .api()
              .get(Resource.CLAIMS, pod.namespace(), entry.claim())
              .map(Facts::claim)
              .filter(
                  found -> !entry.generated() || found.ownerUid().equals(Optional.of(pod.uid())));
      if (claim.isEmpty()) {
        return Optional.empty();
      }
      claims.add(claim.get());
    }
    return Optional.of(claims.build().asList());
  }

  private static boolean usableBy(Pod pod, ClaimFacts claim) {
    if (claim.allocation().isEmpty()) {
      return claim.mode() == Mode.DELAYED;
    }
    boolean shareable = isOfAnother(claim) || claim.allocation().get().ours().get().shareable();
    return shareable || claim.reservedFor().isEmpty() || claim.reservedFor().contains(pod.uid());
  }

  private static boolean isOfAnother(ClaimFacts claim) {
    return claim.allocation().isPresent() && !claim.allocatedByUs();
  }

  /** Whether the quotas surely allow what is not granted yet. */
  boolean mayHold(ImmutableList<ClaimFacts> claims) {
    long more = 0;
    for (ClaimFacts claim : claims) {
      if (claim.allocation().isEmpty()) {
        more += spec(claim).map(Stuck::mostDevices).orElse(0);
      }
    }
    return claims.isEmpty() || world.quotas().allows(claims.get(0).ref().namespace(), more, grants);
  }

  private static int mostDevices(GpuClaimParametersSpec spec) {
    boolean several = spec.requests() != null || spec.alternatives() != null;
    return several ? MANY : requireNonNullElse(spec.count(), 1);
  }

  private boolean fitsSomewhere(Wanted wanted) {
    return world.machines().stream().anyMatch(machine -> fits(machine, wanted));
  }

  /** Whether other pods leave so much of the node; without a Node object it has nothing. */
  boolean hasRoom(Machine machine, Size wanted) {
    Size all =
        world.api().get(Resource.NODES, "", machine.name()).map(Size::ofNode).orElse(Size.NONE);
    return world.api().list(Resource.PODS).stream()
        .map(Pod::new)
        .filter(pod -> pod.node().equals(machine.name()) && !pod.terminal())
        .map(Size::of)
        .reduce(wanted, Size::plus)
        .isWithin(all);
  }

  private boolean fits(Machine machine, Wanted wanted) {
    boolean usable =
        world.state(machine.name()).filter(state -> state.ready() && !state.cordoned()).isPresent()
            && hasRoom(machine, wanted.size());
    ImmutableMap.Builder<ClaimUid, GpuClaimParametersSpec> open = ImmutableMap.builder();
    for (ClaimFacts claim : Iterables.filter(wanted.claims(), not(Stuck::isOfAnother))) {
      Optional<Grants.Entry> granted = grants.of(claim.uid());
      Optional<GpuClaimParametersSpec> spec = spec(claim);
      usable &=
          granted.isPresent()
              ? granted.get().grant().node().equals(machine.name())
              : freeOfItsName(machine, claim) && spec.isPresent();
      if (granted.isEmpty()) {
        spec.ifPresent(known -> open.put(claim.uid(), known));
      }
    }
    return usable && fit(machine).fits(open.buildOrThrow());
  }

  private Optional<GpuClaimParametersSpec> spec(ClaimFacts claim) {
    return claim
        .parameters()
        .map(ref -> world.parameters().get(ref.name()))
        .map(GpuClaimParameters::specOrDefault);
  }

  private Fit fit(Machine machine) {
    return new Fit(
        machine.gpus().stream()
            .filter(gpu -> !machine.publication().isTainted(gpu.name()))
            .collect(ImmutableList.toImmutableList()),
        machine.gpus().stream()
            .flatMap(
                gpu ->
                    Stream.concat(
                        Streams.stream(grants.all()).flatMap(entry -> entry.holdings(gpu)),
                        Grants.holdingsOf(machine.held(), gpu).stream()))
            .toList());
  }

  boolean freeOfItsName(Machine machine, ClaimFacts claim) {
    for (Grants.Entry other : grants.all()) {
      if (other.grant().node().equals(machine.name()) && sameKey(claim, other.claim().ref())) {
        return false;
      }
    }
    return machine.listed().stream().noneMatch(held -> sameKey(claim, held.ref()));
  }

  private static boolean sameKey(ClaimFacts claim, ClaimRef other) {
    return other.kubeletKey().equals(claim.ref().kubeletKey());
  }

  private boolean couldStart(Pod pod, ImmutableList<ClaimFacts> claims) {
    Machine machine = world.machine(pod.node());
    return claims.stream()
        .allMatch(
            claim ->
                claim.reservedFor().contains(pod.uid())
                    && !world.disturbances().wasDisturbed(machine, claim.ref())
                    && (isOfAnother(claim) || canBePrepared(claim, machine)));
  }

  private boolean canBePrepared(ClaimFacts claim, Machine machine) {
    return grants.of(claim.uid()).filter(entry -> isNobodyElses(entry, machine)).isPresent();
  }

  /**
   * A kubelet before 1.28 that remembers the name for another claim never asks: who was granted
   * something there in the moment before the node said so waits for its next boot.
   */
  private static boolean isNobodyElses(Grants.Entry entry, Machine machine) {
    return entry.grant().node().equals(machine.name())
        && machine.listed().stream()
            .filter(held -> !held.uid().equals(entry.claim().uid()))
            .noneMatch(held -> inTheWay(held, entry));
  }

  private static boolean inTheWay(PreparedClaim held, Grants.Entry entry) {
    return sameKey(entry.claim(), held.ref())
        || held.parts().stream()
            .map(part -> new PartHolding(held.uid(), part))
            .anyMatch(part -> entry.holdings().anyMatch(own -> excludes(part, own)));
  }

  private static boolean excludes(PartHolding held, PartHolding own) {
    return held.part().gpuUuid().equals(own.part().gpuUuid()) && Division.clash(held, own);
  }
}
