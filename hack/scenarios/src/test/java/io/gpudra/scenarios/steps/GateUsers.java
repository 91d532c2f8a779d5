package io.gpudra.scenarios.steps;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import io.gpudra.controller.dra.facts.GroupLabel;
import io.gpudra.crds.model.Grant;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** People whose pods wait at gates, alone or in groups, and have priorities. */
final class GateUsers {
  /** A gate that no driver removes. */
  static final String HOLD = "example.com/hold";

  /**
   * No node has this label, and no controller of the simulation knows: it judges such pods wrong.
   */
  private static final String NOWHERE = "nowhere";

  /** By resource. */
  private static final ImmutableMap<String, String> OVER_HALF_OF_A_NODE =
      ImmutableMap.of("cpu", "40", "memory", "160Gi");

  private static final ImmutableMap<String, String> MORE_THAN_A_NODE =
      ImmutableMap.of("cpu", "100", "memory", "400Gi");

  private static final int MAX_PODS = 9;
  private static final String OF_KUEUE = "kueues";
  private static final ImmutableList<String> GROUPS = ImmutableList.of("g0", "g1", OF_KUEUE);

  private final World world;
  private final Chance chance;
  private final Users users;

  /** Whether each namespace always has a quota. */
  private final boolean quotasStay;

  GateUsers(World world, Users users) {
    this.world = world;
    this.chance = world.chance();
    this.users = users;
    this.quotasStay = world.extras().quotas() && chance.oneIn(2);
    for (String namespace : World.NAMESPACES) {
      if (quotasStay) {
        world.setQuota(namespace, "q0", Optional.of(Quotas.Hard.ofGpus(2 * Quotas.GPU)));
      } else {
        world.quotas().open(namespace);
      }
    }
  }

  /** One thing that one of them does. */
  void act() {
    if (world.extras().quotas() && chance.oneIn(5)) {
      setQuota();
      return;
    }
    switch (chance.below(15)) {
      case 0, 1, 2, 3, 4 -> makePod();
      case 5 -> makePods();
      case 6, 7 -> makeMembers();
      case 8 -> makeMembers();
      case 9, 10 -> replaceWaiting();
      case 11 -> removeGate(Facts.GATE);
      case 12 -> removeGate(HOLD);
      default -> cordon();
    }
  }

  private void setQuota() {
    String namespace = chance.of(World.NAMESPACES);
    String name = chance.oneIn(4) ? "q1" : "q0";
    boolean goes = name.equals("q1") || !quotasStay;
    if (goes && chance.oneIn(3)) {
      world.setQuota(namespace, name, Optional.empty());
      world.say("a user deletes quota %s of %s", name, namespace);
    } else {
      long gpus = chance.oneIn(3) ? 500L * chance.between(0, 8) : roomForOne(namespace);
      boolean inBytes = name.equals("q1") && chance.oneIn(2);
      world.setQuota(namespace, name, Optional.of(new Quotas.Hard(gpus, inBytes)));
      world.say(
          "a user sets quota %s of %s to %d%s",
          name, namespace, gpus, inBytes ? ", in memory" : "");
    }
  }

  /** All that wait in the namespace want the same. */
  private long roomForOne(String namespace) {
    return Quotas.GPU
        + world.claims().stream()
            .map(Seen::facts)
            .filter(claim -> claim.ref().namespace().equals(namespace))
            .flatMap(claim -> Grants.grant(claim).stream())
            .mapToLong(grant -> Quotas.charge(grant.devices().stream()))
            .sum();
  }

  /** All members of a group, or the next one, which may be one too many. */
  private void makeMembers() {
    String namespace = chance.of(World.NAMESPACES);
    String group = chance.of(GROUPS);
    String size =
        users.pods().stream()
            .flatMap(pod -> Facts.pod(pod).group().stream())
            .filter(label -> label.name().equals(group) && !chance.oneIn(20))
            .map(GroupLabel::size)
            .findFirst()
            .orElseGet(() -> Integer.toString(chance.between(2, 3)));
    int missing = chance.oneIn(3) ? 1 : Integer.parseInt(size);
    String source = chance.oneIn(6) ? users.source(namespace) : "t-one";
    for (String name : Users.PODS) {
      boolean free = world.api().get(Resource.PODS, namespace, name).isEmpty();
      if (free && missing > 0 && users.pods().size() < MAX_PODS) {
        missing--;
        ObjectNode pod = inGroup(pod(namespace, name, ImmutableList.of(source)), group, size);
        make(chance.oneIn(30) ? inGroup(pod, chance.of(GROUPS), size) : pod);
      }
    }
  }

  static ObjectNode inGroup(ObjectNode pod, String group, String size) {
    ObjectNode labels = Json.meta(pod).withObjectProperty("labels");
    if (group.equals(OF_KUEUE)) {
      labels.put(Facts.KUEUES_GROUP, group);
      Json.meta(pod).withObjectProperty("annotations").put(Facts.KUEUES_SIZE, size);
    } else {
      labels.put(Facts.GROUP, group).put(Facts.GROUP_SIZE, size);
    }
    return pod;
  }

  /** Several pods of one namespace at once. */
  private void makePods() {
    String namespace = chance.of(World.NAMESPACES);
    for (String name : Users.PODS) {
      boolean free = world.api().get(Resource.PODS, namespace, name).isEmpty();
      if (free && users.pods().size() < MAX_PODS && chance.oneIn(2)) {
        make(pod(namespace, name, ImmutableList.of("t-one")));
      }
    }
  }

  private void makePod() {
    if (users.pods().size() < MAX_PODS) {
      makePod(chance.of(World.NAMESPACES), chance.of(Users.PODS));
    }
  }

  private void makePod(String namespace, String name) {
    ImmutableSet.Builder<String> sources = ImmutableSet.builder();
    for (int i = chance.oneIn(3) ? chance.between(2, 3) : 1; i > 0; i--) {
      sources.add(users.source(namespace));
    }
    make(pod(namespace, name, chance.oneIn(40) ? List.of() : sources.build().asList()));
  }

  private ObjectNode pod(String namespace, String name, List<String> sources) {
    ObjectNode pod = gated(namespace, name, sources);
    ObjectNode spec = pod.withObjectProperty("spec");
    spec.put("priority", chance.oneIn(2) ? 0 : chance.below(3));
    if (chance.oneIn(8)) {
      spec.withArrayProperty("schedulingGates").addObject().put("name", HOLD);
    }
    ObjectNode container = (ObjectNode) spec.path("containers").path(0);
    if (chance.oneIn(3)) {
      ImmutableMap<String, String> size = chance.oneIn(8) ? MORE_THAN_A_NODE : OVER_HALF_OF_A_NODE;
      Map.Entry<String, String> request = chance.of(size.entrySet().asList());
      container
          .withObjectProperty("resources")
          .putObject("requests")
          .put(request.getKey(), request.getValue());
    }
    if (chance.oneIn(20)) {
      container.putArray("ports").addObject().put("containerPort", 80).put("hostPort", 80);
    }
    return chance.oneIn(10) ? toNowhere(pod) : pod;
  }

  static ObjectNode toNowhere(ObjectNode pod) {
    pod.withObjectProperty("spec").putObject("nodeSelector").put("zone", NOWHERE);
    return pod;
  }

  /** A pod at the gate. */
  static ObjectNode gated(String namespace, String name, List<String> sources) {
    ObjectNode pod = Users.pod(namespace, name, sources);
    pod.withObjectProperty("spec").putArray("schedulingGates").addObject().put("name", Facts.GATE);
    return pod;
  }

  private void make(ObjectNode pod) {
    make(world, pod);
  }

  static void make(World world, ObjectNode pod) {
    ObjectNode made = world.api().create(Resource.PODS, pod);
    world.say(
        "a user makes pod %s %s %s %s",
        Meta.key(made),
        Json.at(made, "metadata.labels"),
        Facts.gates(new Pod(made)),
        Json.at(made, "spec.resourceClaims"));
  }

  /** A pod that waits is deleted, and made anew under its name. */
  private void replaceWaiting() {
    Optional<Pod> waiting = some(pod -> pod.node().isEmpty());
    if (waiting.isEmpty()) {
      return;
    }
    Pod pod = waiting.get();
    Users.deletePod(world, pod, Optional.of(0));
    if (chance.oneIn(2)) {
      makePod(pod.namespace(), pod.name());
    }
  }

  /** A node that takes no pod any more may have just been chosen for one. */
  private void cordon() {
    ImmutableSet<String> waiting =
        users.pods().stream()
            .filter(pod -> pod.node().isEmpty())
            .map(Pod::uid)
            .collect(ImmutableSet.toImmutableSet());
    Optional<String> chosen =
        world.claims().stream()
            .map(Seen::facts)
            .filter(claim -> claim.reservedFor().stream().anyMatch(waiting::contains))
            .flatMap(claim -> Grants.grant(claim).stream())
            .map(Grant::node)
            .findFirst();
    for (ObjectNode node : world.api().list(Resource.NODES)) {
      if (chosen.isEmpty() || chosen.get().equals(Meta.name(node))) {
        users.setCordon(node, chosen.isPresent() && chance.oneIn(2));
      }
    }
  }

  /** One of these, rather one at the gate with a grant: its group may be granted in part. */
  private Optional<Pod> some(Predicate<Pod> wanted) {
    ImmutableSet<String> users =
        world.claims().stream()
            .filter(claim -> claim.facts().allocation().isPresent())
            .flatMap(claim -> claim.facts().reservedFor().stream())
            .collect(ImmutableSet.toImmutableSet());
    ImmutableList<Pod> pods =
        this.users.pods().stream().filter(wanted).collect(ImmutableList.toImmutableList());
    ImmutableList<Pod> granted =
        pods.stream()
            .filter(pod -> pod.gated() && users.contains(pod.uid()))
            .collect(ImmutableList.toImmutableList());
    ImmutableList<Pod> choice = granted.isEmpty() || chance.oneIn(4) ? pods : granted;
    return choice.isEmpty() ? Optional.empty() : Optional.of(chance.of(choice));
  }

  private void removeGate(String gate) {
    Optional<Pod> gated = some(one -> Facts.gates(one).contains(gate));
    if (gated.isPresent()) {
      Pod pod = gated.get();
      ArrayNode gates = pod.json().withObjectProperty("spec").withArrayProperty("schedulingGates");
      Iterables.removeIf(gates, one -> one.path("name").asText().equals(gate));
      world.api().update(Resource.PODS, pod.json());
      world.say("a user removes gate %s of pod %s", gate, Meta.key(pod.json()));
    }
  }
}
