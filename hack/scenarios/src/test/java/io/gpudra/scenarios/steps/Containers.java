package io.gpudra.scenarios.steps;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.usage.PartHolding;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.kubelet.RunningContainer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What containers see: no more of a device than it has, none but what the pod's claims say, and
 * nothing that is taken away under them.
 */
final class Containers {
  private static final ClaimUid NOBODY = new ClaimUid("nobody");

  private final World world;
  private final Grants grants;

  /** Of each pod that runs. */
  private final Map<String, Uses> usesOfPods = new HashMap<>();

  /** Parts on a machine, and whose they are. */
  private record Uses(Machine machine, List<PartHolding> parts) {}

  Containers(World world, Grants grants) {
    this.world = world;
    this.grants = grants;
  }

  void check() {
    ImmutableSet<ClaimUid> takenBack = world.disturbances().takenBack();
    Set<String> running = new HashSet<>();
    Set<Machine> news = new HashSet<>();
    for (RunningContainer container : world.actors().containers()) {
      if (container.running() && running.add(container.identity().podUid())) {
        usesOfPods.computeIfAbsent(container.identity().podUid(), uid -> started(container, news));
      }
    }
    usesOfPods.keySet().retainAll(running);
    usesOfPods
        .values()
        .forEach(uses -> uses.parts().removeIf(use -> takenBack.contains(use.claim())));
    world.machines().stream().filter(Machine::touched).forEach(news::add);
    news.forEach(this::check);
  }

  private void check(Machine machine) {
    ImmutableList<PartHolding> used =
        usesOfPods.values().stream()
            .filter(uses -> uses.machine().equals(machine))
            .flatMap(uses -> uses.parts().stream())
            .collect(toImmutableList());
    for (Gpu gpu : machine.gpus()) {
      Division.problem(gpu, of(gpu, used))
          .ifPresent(
              problem -> world.broken("%s serves too many: %s".formatted(gpu.uuid(), problem)));
    }
    used.stream().map(PartHolding::claim).distinct().forEach(claim -> mustBeWhole(machine, claim));
    if (!machine.hardware().destroyed().isEmpty()) {
      world.broken(
          "%s has no longer %s, which is nobody's"
              .formatted(machine.name(), machine.hardware().destroyed()));
    }
  }

  private static ImmutableList<PartHolding> of(Gpu gpu, List<PartHolding> used) {
    return used.stream()
        .filter(holding -> holding.part().gpuUuid().equals(gpu.uuid()))
        .collect(toImmutableList());
  }

  private void mustBeWhole(Machine machine, ClaimUid claim) {
    Inspection.of(machine, claim)
        .lack()
        .ifPresent(
            what ->
                world.broken(
                    "%s, which containers of %s use, is gone from %s"
                        .formatted(what, claim, machine.name())));
  }

  private Uses started(RunningContainer container, Set<Machine> news) {
    RunningContainer.Identity who = container.identity();
    Machine machine = world.machine(who.node());
    ImmutableSet<String> devices = devices(container, machine);
    Optional<Pod> pod =
        world
            .api()
            .get(Resource.PODS, who.namespace(), who.pod())
            .map(Pod::new)
            .filter(found -> found.uid().equals(who.podUid()) && !found.deleting());
    world.say("pod %s/%s runs on %s with %s", who.namespace(), who.pod(), who.node(), devices);
    pod.ifPresent(found -> mustBeGranted(found, machine, devices));
    List<PartHolding> uses = new ArrayList<>();
    devices.forEach(device -> uses.add(use(machine, device, pod)));
    news.add(machine);
    return new Uses(machine, uses);
  }

  private static ImmutableSet<String> devices(RunningContainer container, Machine machine) {
    return container.environment().entrySet().stream()
        .filter(variable -> variable.getKey().matches("GPU_DEVICE_[0-9_]+_UUID"))
        .map(variable -> machine.hardware().name(variable.getValue()))
        .collect(toImmutableSet());
  }

  /** As whose claim the node holds the device; with several of them, the pod's own. */
  private static PartHolding use(Machine machine, String device, Optional<Pod> pod) {
    ImmutableSet<ClaimRef> refs = pod.map(Containers::refs).orElse(ImmutableSet.of());
    Optional<PartHolding> own =
        machine.held().stream()
            .filter(claim -> refs.contains(claim.ref()))
            .flatMap(claim -> part(claim, device).stream())
            .findFirst();
    return own.or(
            () ->
                machine.held().stream().flatMap(claim -> part(claim, device).stream()).findFirst())
        .orElseGet(() -> new PartHolding(NOBODY, GrantedPart.whole(device)));
  }

  private static Optional<PartHolding> part(PreparedClaim claim, String device) {
    return claim.parts().stream()
        .filter(part -> Hardware.name(part).equals(device))
        .map(part -> new PartHolding(claim.uid(), part))
        .findFirst();
  }

  static ImmutableSet<ClaimRef> refs(Pod pod) {
    return pod.claims(Profile.V1_30).stream()
        .filter(entry -> entry.binding() == Pod.Binding.NAMED)
        .map(entry -> new ClaimRef(pod.namespace(), entry.claim()))
        .collect(toImmutableSet());
  }

  private void mustBeGranted(Pod pod, Machine machine, ImmutableSet<String> devices) {
    ImmutableSet.Builder<String> granted = ImmutableSet.builder();
    for (ClaimRef ref : refs(pod)) {
      grants
          .of(ref)
          .filter(entry -> entry.claim().reservedFor().contains(pod.uid()))
          .ifPresent(entry -> granted.addAll(entry.devices()));
    }
    boolean kubeletMistaken =
        knownByAnotherName(pod, machine)
            || refs(pod).stream().anyMatch(this::isOfAnotherDriver)
            || refs(pod).stream().anyMatch(ref -> isTakenForOurs(ref, machine))
            || refs(pod).stream().anyMatch(ref -> world.disturbances().wasDisturbed(machine, ref));
    if (!granted.build().equals(devices) && !kubeletMistaken) {
      world.broken(
          "pod %s/%s runs with %s, its claims say %s"
              .formatted(pod.namespace(), pod.name(), devices, granted.build()));
    }
  }

  /** Of what other drivers have prepared no controller of ours can know. */
  private boolean isOfAnotherDriver(ClaimRef ref) {
    return world.otherDriver().names().contains(ref.kubeletKey());
  }

  /** The kubelet knows a claim of another driver by the name of one that we have prepared. */
  private boolean isTakenForOurs(ClaimRef ref, Machine machine) {
    return machine.held().stream()
            .anyMatch(held -> held.ref().kubeletKey().equals(ref.kubeletKey()))
        && world
            .api()
            .get(Resource.CLAIMS, ref.namespace(), ref.name())
            .map(Facts::claim)
            .filter(claim -> claim.allocation().isPresent() && !claim.allocatedByUs())
            .isPresent();
  }

  /** A claim was made anew, and granted, before its node could say that the old one is prepared. */
  private boolean knownByAnotherName(Pod pod, Machine machine) {
    return machine.held().stream()
        .filter(held -> grants.of(held.uid()).isEmpty())
        .anyMatch(
            held ->
                refs(pod).stream()
                    .anyMatch(ref -> ref.kubeletKey().equals(held.ref().kubeletKey())));
  }
}
