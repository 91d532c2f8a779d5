package io.gpudra.scenarios.steps;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** People: they make and delete pods and claims, few names for many objects, and edit the rest. */
final class Users {
  private static final int MAX_PODS = 7;
  private static final ImmutableList<String> CLAIMS = ImmutableList.of("x", "xa", "y", "z");
  private static final String OF_ANOTHER = "net";
  static final ImmutableList<String> PODS = ImmutableList.of("p0", "p1", "p2", "p3", "p4", "p5");
  private final World world;
  private final Chance chance;
  private final ImmutableList<String> wanted;
  private final ImmutableList<String> templates;
  private final GateUsers gateUsers;
  private long generation = 1;

  Users(World world) {
    this.world = world;
    this.chance = world.chance();
    this.wanted = world.canBeCut() ? Wants.OF_ALL_KINDS : Wants.WHOLE;
    this.templates =
        Wants.TEMPLATES.stream().filter(wanted::contains).collect(ImmutableList.toImmutableList());
    Wants.names().forEach(name -> setParameters(name, Wants.spec(name)));
    for (String namespace : World.NAMESPACES) {
      for (String name : Iterables.concat(templates, Wants.INSIDE)) {
        ObjectNode template = named(namespace, "t-" + name);
        template.putObject("spec").set("spec", spec(name, /* immediate= */ false));
        world.api().create(Resource.CLAIM_TEMPLATES, template);
      }
    }
    this.gateUsers = new GateUsers(world, this);
  }

  private void setParameters(String name, GpuClaimParametersSpec spec) {
    world.setParameters(name, Optional.of(Wants.object(name, spec, generation++)));
  }

  static ObjectNode named(String namespace, String name) {
    return Json.object("metadata", Json.object("namespace", namespace, "name", name));
  }

  static ObjectNode spec(String parameters, boolean immediate) {
    ObjectNode spec = Json.object("resourceClassName", ClassCache.GPU);
    spec.put("allocationMode", immediate ? "Immediate" : "WaitForFirstConsumer");
    spec.putObject("parametersRef")
        .put("apiGroup", GpuApi.GROUP)
        .put("kind", GpuClaimParameters.KIND)
        .put("name", parameters);
    return spec;
  }

  /** One thing that one of them does. */
  void act() {
    try {
      if (world.extras().gates() && chance.oneIn(2)) {
        gateUsers.act();
        return;
      }
      switch (chance.below(25)) {
        case 0, 1, 2, 3, 4 -> makePod();
        case 5, 6, 7, 8 -> makeClaim();
        case 9, 10 -> deletePod(Optional.empty());
        case 11, 12 -> deletePod(Optional.of(0));
        case 13, 14 -> deleteClaim();
        case 15, 16 -> finishPod();
        case 17 -> editParameters();
        case 18 -> touchClaim();
        case 19, 20, 21, 22 -> replacePod();
        case 23 -> editClass();
        default -> {
          if (chance.oneIn(2)) {
            cordon();
          } else {
            taint();
          }
        }
      }
    } catch (ApiError refused) {
      world.say("a user is refused: %s", refused.getMessage());
    }
  }

  ImmutableList<Pod> pods() {
    return world.api().list(Resource.PODS).stream()
        .map(Pod::new)
        .collect(ImmutableList.toImmutableList());
  }

  private void makePod() {
    if (pods().size() >= MAX_PODS) {
      return;
    }
    String namespace = chance.of(World.NAMESPACES);
    if (world.canBeCut() && chance.oneIn(4)) {
      makeNested(namespace);
      return;
    }
    ImmutableSet.Builder<String> sources = ImmutableSet.builder();
    int entries = chance.oneIn(3) ? chance.between(2, 3) : 1;
    for (int i = 0; i < entries; i++) {
      sources.add(source(namespace));
    }
    makePod(world, namespace, chance.of(PODS), sources.build().asList());
  }

  /** A pod whose other claims are carved out of its first. */
  private void makeNested(String namespace) {
    String outer = chance.of(CLAIMS);
    if (world.api().get(Resource.CLAIMS, namespace, outer).isEmpty()) {
      makeClaim(world, namespace, outer, chance.oneIn(3) ? "one" : "outer", /* immediate= */ false);
    }
    ImmutableList<String> sources =
        Stream.concat(
                Stream.of(outer),
                Stream.generate(() -> "t-" + chance.of(Wants.INSIDE)).limit(chance.between(1, 2)))
            .collect(ImmutableList.toImmutableList());
    makePod(world, namespace, chance.of(PODS), sources);
  }

  String source(String namespace) {
    if (chance.oneIn(12)) {
      return claimOfAnother(namespace);
    }
    if (chance.oneIn(3)) {
      return "t-" + chance.of(templates);
    }
    String claim = chance.of(CLAIMS);
    if (world.api().get(Resource.CLAIMS, namespace, claim).isEmpty() && !chance.oneIn(6)) {
      makeClaim(world, namespace, claim, chance.of(wanted), chance.oneIn(4));
    }
    return claim;
  }

  private String claimOfAnother(String namespace) {
    if (world.api().get(Resource.CLAIMS, namespace, OF_ANOTHER).isEmpty()) {
      ObjectNode claim = named(namespace, OF_ANOTHER);
      claim.set(
          "spec", Json.object("resourceClassName", ClassCache.NET, "allocationMode", "Immediate"));
      world.api().create(Resource.CLAIMS, claim);
    }
    return OF_ANOTHER;
  }

  static void makePod(World world, String namespace, String name, List<String> sources) {
    world.api().create(Resource.PODS, pod(namespace, name, sources));
    world.say("a user makes pod %s/%s with %s", namespace, name, sources);
  }

  /** A pod whose one container uses these claims, or claims of these templates. */
  static ObjectNode pod(String namespace, String name, List<String> sources) {
    ObjectNode pod = named(namespace, name);
    ObjectNode spec = pod.putObject("spec").put("restartPolicy", "Never");
    ObjectNode container = spec.putArray("containers").addObject();
    container.put("name", "ctr").put("image", "i");
    ArrayNode used = container.putObject("resources").putArray("claims");
    ArrayNode entries = spec.putArray("resourceClaims");
    for (int i = 0; i < sources.size(); i++) {
      String source = sources.get(i);
      String field = source.startsWith("t-") ? "resourceClaimTemplateName" : "resourceClaimName";
      entries.addObject().put("name", "e" + i).putObject("source").put(field, source);
      used.addObject().put("name", "e" + i);
    }
    return pod;
  }

  private void makeClaim() {
    String parameters = chance.of(wanted);
    makeClaim(world, chance.of(World.NAMESPACES), chance.of(CLAIMS), parameters, chance.oneIn(4));
  }

  static void makeClaim(
      World world, String namespace, String name, String parameters, boolean immediate) {
    ObjectNode claim = named(namespace, name);
    claim.set("spec", spec(parameters, immediate));
    world.api().create(Resource.CLAIMS, claim);
    world.say(
        "a user makes %sclaim %s/%s for %s",
        immediate ? "Immediate " : "", namespace, name, parameters);
  }

  private void deletePod(Optional<Integer> grace) {
    ImmutableList<Pod> pods = pods();
    if (!pods.isEmpty()) {
      deletePod(world, chance.of(pods), grace);
    }
  }

  static void deletePod(World world, Pod pod, Optional<Integer> grace) {
    world.say("a user deletes pod %s%s", Meta.key(pod.json()), grace.isEmpty() ? "" : " by force");
    world.api().delete(Resource.PODS, pod.namespace(), pod.name(), grace);
  }

  /** As a ReplicaSet does when its pod is deleted: the next one comes at once. */
  private void replacePod() {
    ImmutableList<Pod> bound =
        pods().stream()
            .filter(pod -> !pod.node().isEmpty())
            .collect(ImmutableList.toImmutableList());
    if (!bound.isEmpty()) {
      Pod pod = chance.of(bound);
      deletePod(world, pod, Optional.of(0));
      makePod(world, pod.namespace(), chance.of(PODS), ImmutableList.of("t-one"));
    }
  }

  /** The pods of a node; they are deleted. */
  ImmutableList<Pod> deleteByForce(String node) {
    ImmutableList<Pod> there =
        pods().stream()
            .filter(pod -> pod.node().equals(node))
            .collect(ImmutableList.toImmutableList());
    there.forEach(pod -> deletePod(world, pod, Optional.of(0)));
    return there;
  }

  /** Newcomers that may be granted what those pods had. */
  void comeAnew(ImmutableList<Pod> gone) {
    gone.forEach(pod -> makeIfFree(pod.namespace(), chance.of(PODS), ImmutableList.of("t-one")));
  }

  /** Later pods use the named claims of those. */
  void useClaimsAgain(ImmutableList<Pod> gone) {
    for (Pod pod : gone) {
      makeIfFree(
          pod.namespace(),
          pod.name(),
          Containers.refs(pod).stream()
              .map(ClaimRef::name)
              .filter(CLAIMS::contains)
              .collect(ImmutableList.toImmutableList()));
    }
  }

  private void makeIfFree(String namespace, String name, ImmutableList<String> sources) {
    if (!sources.isEmpty() && world.api().get(Resource.PODS, namespace, name).isEmpty()) {
      makePod(world, namespace, name, sources);
    }
  }

  private void deleteClaim() {
    List<ObjectNode> claims = world.api().list(Resource.CLAIMS);
    if (!claims.isEmpty()) {
      ObjectNode claim = chance.of(claims);
      world.say("a user deletes claim %s", Meta.key(claim));
      world
          .api()
          .delete(Resource.CLAIMS, Meta.namespace(claim), Meta.name(claim), Optional.empty());
    }
  }

  private void finishPod() {
    ImmutableList<Pod> pods = pods();
    if (!pods.isEmpty()) {
      Pod pod = chance.of(pods);
      if (pod.terminal()) {
        deletePod(world, pod, Optional.empty());
      } else if (!pod.node().isEmpty() && world.actors().kubelet(pod.node()).finish(pod.uid())) {
        world.say("pod %s ends by itself", Meta.key(pod.json()));
      }
    }
  }

  private void editParameters() {
    if (chance.oneIn(3)) {
      world.setParameters("edited", Optional.empty());
      world.say("a user deletes the parameters");
    } else {
      String like = chance.of(wanted);
      setParameters("edited", Wants.spec(like));
      world.say("a user makes the parameters those of %s", like);
    }
  }

  private void editClass() {
    if (world.editsClasses()) {
      Optional<String> driver =
          switch (chance.below(6)) {
            case 0 -> Optional.empty();
            case 1 -> Optional.of(OtherDriver.NAME);
            default -> Optional.of(Facts.DRIVER);
          };
      world.setClass(ClassCache.GPU, driver);
      world.say("a user lets the class name %s", driver.orElse("nobody, and be gone"));
    }
  }

  private void touchClaim() {
    List<ObjectNode> claims = world.api().list(Resource.CLAIMS);
    if (!claims.isEmpty()) {
      ObjectNode claim = chance.of(claims);
      Json.meta(claim)
          .withObjectProperty("labels")
          .put("touched", Long.toString(world.api().revision()));
      world.api().update(Resource.CLAIMS, claim);
      world.say("a user labels claim %s", Meta.key(claim));
    }
  }

  private void cordon() {
    List<ObjectNode> nodes = world.api().list(Resource.NODES);
    if (!nodes.isEmpty()) {
      setCordon(chance.of(nodes), chance.oneIn(4));
    }
  }

  /** Keeps claims from one GPU, or lets them come to it again. */
  private void taint() {
    Machine machine = chance.of(world.machines());
    String gpu = chance.of(machine.gpus()).name();
    if (chance.oneIn(2)) {
      untaint(machine, gpu);
    } else {
      Optional<Instant> until =
          Optional.of(world.clock().instant().plus(chance.millis(1_000, 60_000)))
              .filter(end -> chance.oneIn(2));
      machine
          .publication()
          .taint(
              gpu,
              new DeviceTaint(
                  "maintenance", "", Effect.NO_SCHEDULE, "fan swap", Optional.empty(), until));
      world.say("a user taints %s of %s until %s", gpu, machine.name(), until);
      world.nodeChanged(machine.name());
    }
  }

  private void untaint(Machine machine, String gpu) {
    machine.publication().untaint(gpu);
    world.say("a user removes the taint of %s of %s", gpu, machine.name());
    world.nodeChanged(machine.name());
  }

  void setCordon(ObjectNode node, boolean cordoned) {
    node.withObjectProperty("spec").put("unschedulable", cordoned);
    world.api().update(Resource.NODES, node);
    world.say("a user %s %s", cordoned ? "cordons" : "uncordons", Meta.name(node));
  }

  /** All nodes may be used, finished pods are tidied away, class and parameters are good. */
  void tidyUp() {
    world.setClass(ClassCache.GPU, Optional.of(Facts.DRIVER));
    world.api().list(Resource.NODES).forEach(node -> setCordon(node, false));
    world
        .machines()
        .forEach(machine -> machine.gpus().forEach(gpu -> untaint(machine, gpu.name())));
    setParameters("edited", Wants.spec("one"));
    pods().stream().filter(Pod::terminal).forEach(pod -> deletePod(world, pod, Optional.empty()));
  }

  void deletePods() {
    pods().stream()
        .filter(pod -> !pod.deleting())
        .forEach(pod -> deletePod(world, pod, Optional.empty()));
  }

  /** One of 1.27 waits for ever for a claim that was released too early (protocol.md 4.6). */
  void deleteWhatOldKubeletsNeverEnd() {
    for (Machine machine : world.machines()) {
      if (!machine.kubeletAsksAgain()) {
        deleteByForce(machine.name());
      }
    }
  }

  void deleteClaims() {
    world.api().list(Resource.CLAIMS).stream()
        .filter(claim -> !Meta.deleting(claim))
        .forEach(
            claim ->
                world
                    .api()
                    .delete(
                        Resource.CLAIMS,
                        Meta.namespace(claim),
                        Meta.name(claim),
                        Optional.empty()));
  }
}
