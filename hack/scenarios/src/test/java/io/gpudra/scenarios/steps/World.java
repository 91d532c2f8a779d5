package io.gpudra.scenarios.steps;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import com.google.errorprone.annotations.FormatMethod;
import io.gpudra.controller.group.GroupTurns;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.actor.Timings;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.api.WatchEvent;
import io.gpudra.simulator.cluster.Actors;
import io.gpudra.simulator.cluster.ActorsConfig;
import io.gpudra.simulator.kubelet.DraPlugin;
import io.gpudra.simulator.kubelet.NodeConfig;
import io.gpudra.simulator.server.ObjectServer;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A whole cluster on one thread and one clock: the server, scheduler, claim controller and kubelets
 * of the simulator, controllers with the real engine and nodes with the real plugin.
 */
final class World implements AutoCloseable {
  /** The kubelet's key for claim {@code xa} of {@code b} is that of {@code x} of {@code ab}. */
  static final ImmutableList<String> NAMESPACES = ImmutableList.of("ab", "b");

  private static final int HISTORY = 4;

  /** What a node is like. */
  record Node(ImmutableList<Hardware.Kind> gpus, Profile kubelet) {}

  /** In the order of the real ones, shorter: more happens in as many steps. */
  private static final Timings TIMINGS =
      new Timings(
          Duration.ofMillis(100),
          Duration.ofSeconds(2),
          new Timings.Spread(Duration.ofSeconds(3), Duration.ofSeconds(5)),
          new Timings.Spread(Duration.ofSeconds(1), Duration.ofSeconds(2)),
          Duration.ofSeconds(1),
          Duration.ofSeconds(45),
          Duration.ofSeconds(4));

  private final VirtualClock clock = new VirtualClock();
  private final FileSystem files =
      Jimfs.newFileSystem(
          Configuration.unix().toBuilder().setAttributeViews("basic", "posix").build());
  private final Chance chance;
  private final Extras extras;
  private final Chronicle chronicle;
  private final Fates fates;
  private final ObjectServer api;
  private final Actors actors;
  private final Map<String, Machine> machines = new TreeMap<>();
  private final Lease lease = new Lease();
  private final List<Controller> controllers = new ArrayList<>();
  private final Map<String, GpuClaimParameters> parameters = new TreeMap<>();
  private final List<Runnable> late = new ArrayList<>();
  private Optional<Instant> tookOver = Optional.empty();
  private Optional<String> broken = Optional.empty();
  private final boolean clocksStop;
  private final boolean losesNodes;
  private final boolean editsClasses;
  private final OtherDriver otherDriver = new OtherDriver(this, new HashSet<>());
  private final Disturbances disturbances = new Disturbances();
  private final GrantTimes grantTimes;
  private final Quotas quotas = new Quotas(this);
  private GroupTurns.Times turns = Gates.TURNS;

  private int started;

  World(Chance chance, boolean chronicled, Fates fates, List<Node> kinds, Extras extras) {
    this.chance = chance;
    this.extras = extras;
    this.fates = fates;
    this.chronicle = new Chronicle(clock, chronicled);
    this.clocksStop = chance.oneIn(8);
    this.losesNodes = chance.oneIn(3);
    this.editsClasses = chance.oneIn(3);
    api = new ObjectServer(clock, new SplittableRandom(chance.random().nextLong()), HISTORY);
    grantTimes = new GrantTimes(api);
    NAMESPACES.forEach(this::addNamespace);
    setClass(ClassCache.GPU, Optional.of(Facts.DRIVER));
    setClass(ClassCache.NET, Optional.of(OtherDriver.NAME));
    List<NodeConfig> nodes = new ArrayList<>();
    for (int i = 0; i < kinds.size(); i++) {
      Node kind = kinds.get(i);
      Path cdi = files.getPath("/", "cdi-n" + i);
      Machine machine = new Machine("n" + i, kind, cdi, this);
      machines.put(machine.name(), machine);
      nodes.add(new NodeConfig(machine.name(), cdi, List.of(cdi), kind.kubelet(), Map.of()));
    }
    ActorsConfig config =
        new ActorsConfig(nodes, TIMINGS, Profile.V1_30, chance.random().nextLong());
    actors = Actors.stepped(api, config, clock, this::plugins);
    api.watch(Resource.NODES, this::nodeEvent);
    machines.values().forEach(Machine::start);
    machines.values().forEach(Machine::publish);
  }

  private void addNamespace(String name) {
    api.create(Resource.NAMESPACES, Json.object("metadata", Json.object("name", name)));
  }

  private DraPlugin.Finder plugins(String node) {
    Machine machine = machines.get(node);
    Plugin plugin = new Plugin(machine, this);
    return driver ->
        driver.equals(OtherDriver.NAME)
            ? Optional.of(otherDriver)
            : Optional.<DraPlugin>of(plugin)
                .filter(p -> driver.equals(Facts.DRIVER) && machine.serves());
  }

  VirtualClock clock() {
    return clock;
  }

  Chance chance() {
    return chance;
  }

  Fates fates() {
    return fates;
  }

  ObjectServer api() {
    return api;
  }

  Actors actors() {
    return actors;
  }

  ImmutableList<Machine> machines() {
    return ImmutableList.copyOf(machines.values());
  }

  Machine machine(String name) {
    return machines.get(name);
  }

  Lease lease() {
    return lease;
  }

  List<Runnable> late() {
    return late;
  }

  Map<String, GpuClaimParameters> parameters() {
    return parameters;
  }

  @FormatMethod
  void say(String format, Object... words) {
    chronicle.say(format, words);
  }

  List<String> history() {
    return chronicle.lines();
  }

  /** Something that must stay true did not; the first one counts. */
  void broken(String what) {
    say("BROKEN: %s", what);
    broken = broken.or(() -> Optional.of(what));
  }

  void broken(String what, Throwable why) {
    StringBuilder text = new StringBuilder(what + ": " + why);
    for (int i = 0; i < Math.min(8, why.getStackTrace().length); i++) {
      text.append("\n      at ").append(why.getStackTrace()[i]);
    }
    broken(text.toString());
  }

  void mustBeWhole() {
    if (broken.isPresent()) {
      throw new Violation(broken.get());
    }
  }

  /** All claims, now. */
  ImmutableList<Seen> claims() {
    return api.store().list(Resource.CLAIMS, "").stream()
        .map(stored -> Seen.of(stored.object()))
        .collect(ImmutableList.toImmutableList());
  }

  // ---- controllers

  /** Starts those that are missing. */
  ImmutableList<Controller> twoControllers() {
    while (controllers().size() < 2) {
      Controller controller = new Controller("controller-" + ++started, this);
      controllers.add(controller);
      say("%s starts", controller.name());
    }
    return controllers();
  }

  /** Those alive. */
  ImmutableList<Controller> controllers() {
    controllers.removeIf(Controller::dead);
    return ImmutableList.copyOf(controllers);
  }

  /** All of them end; the next ones have these options. */
  void restart(GroupTurns.Times nextTurns) {
    turns = nextTurns;
    controllers().forEach(Controller::die);
  }

  GroupTurns.Times turns() {
    return turns;
  }

  /** Whether a process that stands still may lose time, as a machine that is suspended does. */
  boolean clocksStop() {
    return clocksStop;
  }

  void tookOver() {
    tookOver = Optional.of(clock.instant());
  }

  /** Whether a leader has worked for less than two seconds. */
  boolean hasNewLeader() {
    return tookOver.filter(at -> at.plusSeconds(2).isAfter(clock.instant())).isPresent();
  }

  boolean losesNodes() {
    return losesNodes;
  }

  /** Whether some GPUs can be cut. */
  boolean canBeCut() {
    return machines.values().stream()
        .flatMap(machine -> machine.gpus().stream())
        .anyMatch(gpu -> !gpu.model().migProfiles().isEmpty());
  }

  boolean editsClasses() {
    return editsClasses;
  }

  OtherDriver otherDriver() {
    return otherDriver;
  }

  Extras extras() {
    return extras;
  }

  GrantTimes grantTimes() {
    return grantTimes;
  }

  Disturbances disturbances() {
    return disturbances;
  }

  void setParameters(String name, Optional<GpuClaimParameters> object) {
    object.ifPresentOrElse(found -> parameters.put(name, found), () -> parameters.remove(name));
    controllers().forEach(controller -> controller.informers().parameters(name, object));
  }

  Quotas quotas() {
    return quotas;
  }

  /** Makes, edits or deletes a quota. */
  void setQuota(String namespace, String name, Optional<Quotas.Hard> quota) {
    quotas.set(namespace, name, quota);
    for (Controller controller : controllers()) {
      controller
          .quotas()
          .ifPresent(port -> controller.informers().quotas(port, namespace, quotas.of(namespace)));
    }
  }

  /** Makes, edits or deletes a class. */
  void setClass(String name, Optional<String> driver) {
    Optional<ObjectNode> before = api.get(Resource.CLASSES, "", name);
    if (driver.isEmpty()) {
      before.ifPresent(found -> api.delete(Resource.CLASSES, "", name, Optional.empty()));
    } else if (before.isPresent()) {
      api.update(Resource.CLASSES, before.get().put("driverName", driver.get()));
    } else {
      api.create(
          Resource.CLASSES,
          Json.object("metadata", Json.object("name", name), "driverName", driver.get()));
    }
  }

  Optional<String> driverOf(String className) {
    return api.get(Resource.CLASSES, "", className).map(Facts::driver);
  }

  // ---- nodes

  private void nodeEvent(WatchEvent event) {
    String node = Json.text(event.object(), "metadata.name");
    if (event.type().equals("DELETED")) {
      controllers().forEach(controller -> controller.informers().nodeGone(node));
    } else {
      nodeChanged(node);
    }
  }

  void nodeChanged(String node) {
    inventory(node)
        .ifPresent(
            now -> controllers().forEach(controller -> controller.informers().inventory(now)));
  }

  /** Time goes by; what ends with it is told. */
  void pass(Duration time) {
    clock.pass(time);
    for (Machine machine : machines.values()) {
      if (machine.publication().taintsEnd(clock.instant())) {
        say("a taint of %s is over", machine.name());
        nodeChanged(machine.name());
      }
    }
  }

  void nodeSpoke(String node) {
    controllers().forEach(controller -> controller.informers().nodeSpoke(node));
  }

  ImmutableList<Inventory> inventories() {
    return machines.keySet().stream()
        .flatMap(node -> inventory(node).stream())
        .collect(ImmutableList.toImmutableList());
  }

  private Optional<Inventory> inventory(String node) {
    Publication publication = machines.get(node).publication();
    return state(node).map(state -> publication.inventory(state).at(clock.instant()));
  }

  Optional<NodeState> state(String node) {
    return api.get(Resource.NODES, "", node).map(Facts::node);
  }

  @Override
  public void close() {
    controllers.forEach(Controller::die);
    actors.close();
    try {
      files.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
