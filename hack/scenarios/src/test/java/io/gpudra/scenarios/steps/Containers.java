package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PreparedClaim;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.kubelet.RunningContainer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What containers see: no device under two claims, and none but what the pod's claims say. */
final class Containers {
  private static final ClaimUid NOBODY = new ClaimUid("nobody");

  private final World world;
  private final Grants grants;

  /** Of each pod that runs: the claim behind each of its devices, by UUID. */
  private final Map<String, Map<String, ClaimUid>> usesOfPods = new HashMap<>();

  Containers(World world, Grants grants) {
    this.world = world;
    this.grants = grants;
  }

  void check() {
    for (ClaimUid claim : world.takenBack()) {
      usesOfPods.values().forEach(uses -> uses.values().removeIf(claim::equals));
    }
    Map<String, ClaimUid> claimsOfDevices = new HashMap<>();
    Set<String> running = new HashSet<>();
    for (RunningContainer container : world.actors().containers()) {
      if (container.running()) {
        running.add(container.identity().podUid());
        uses(container).forEach((device, claim) -> mustBeAlone(device, claim, claimsOfDevices));
      }
    }
    usesOfPods.keySet().retainAll(running);
  }

  private void mustBeAlone(String device, ClaimUid claim, Map<String, ClaimUid> claimsOfDevices) {
    ClaimUid other = claimsOfDevices.putIfAbsent(device, claim);
    if (other != null && !other.equals(claim)) {
      world.broken("%s serves containers of %s and of %s".formatted(device, claim, other));
    }
  }

  private Map<String, ClaimUid> uses(RunningContainer container) {
    return usesOfPods.computeIfAbsent(
        container.identity().podUid(), uid -> started(container.identity(), devices(container)));
  }

  private static ImmutableSet<String> devices(RunningContainer container) {
    return container.environment().entrySet().stream()
        .filter(variable -> variable.getKey().matches("GPU_DEVICE_\\d+_UUID"))
        .map(Map.Entry::getValue)
        .collect(ImmutableSet.toImmutableSet());
  }

  private Map<String, ClaimUid> started(
      RunningContainer.Identity who, ImmutableSet<String> devices) {
    Optional<Pod> pod =
        world
            .api()
            .get(Resource.PODS, who.namespace(), who.pod())
            .map(Pod::new)
            .filter(found -> found.uid().equals(who.podUid()) && !found.deleting());
    world.say("pod %s/%s runs on %s with %s", who.namespace(), who.pod(), who.node(), devices);
    pod.ifPresent(found -> mustBeGranted(found, who, devices));
    Map<String, ClaimUid> uses = new HashMap<>();
    for (String device : devices) {
      uses.put(device, holder(world.machine(who.node()), device, pod));
    }
    return uses;
  }

  /** The claim that the node holds the device for; with two of them, the pod's own. */
  private static ClaimUid holder(Machine machine, String device, Optional<Pod> pod) {
    ImmutableList<PreparedClaim> holders =
        machine.held().stream()
            .filter(claim -> claim.deviceUuids().contains(device))
            .collect(ImmutableList.toImmutableList());
    return holders.stream()
        .filter(claim -> pod.filter(found -> refs(found).contains(claim.ref())).isPresent())
        .findFirst()
        .or(() -> holders.stream().findFirst())
        .map(PreparedClaim::uid)
        .orElse(NOBODY);
  }

  static ImmutableSet<ClaimRef> refs(Pod pod) {
    return pod.claims(Profile.V1_30).stream()
        .filter(entry -> entry.binding() == Pod.Binding.NAMED)
        .map(entry -> new ClaimRef(pod.namespace(), entry.claim()))
        .collect(ImmutableSet.toImmutableSet());
  }

  private void mustBeGranted(Pod pod, RunningContainer.Identity who, ImmutableSet<String> devices) {
    ImmutableSet.Builder<String> granted = ImmutableSet.builder();
    for (ClaimRef ref : refs(pod)) {
      grants
          .of(ref)
          .filter(entry -> entry.claim().reservedFor().contains(pod.uid()))
          .ifPresent(entry -> granted.addAll(entry.devices()));
    }
    Machine machine = world.machine(who.node());
    boolean kubeletMistaken =
        knownByAnotherName(pod, machine)
            || refs(pod).stream().anyMatch(this::isOfAnotherDriver)
            || refs(pod).stream().anyMatch(ref -> world.wasDisturbed(machine, ref));
    if (!granted.build().equals(devices) && !kubeletMistaken) {
      world.broken(
          "pod %s/%s runs with %s, its claims say %s"
              .formatted(who.namespace(), who.pod(), devices, granted.build()));
    }
  }

  /** Of what other drivers have prepared no controller of ours can know. */
  private boolean isOfAnotherDriver(ClaimRef ref) {
    return world.otherDriver().names().contains(ref.kubeletKey());
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
