package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.kubeletplugin.cdi.CdiDirectory;
import io.gpudra.kubeletplugin.cdi.CdiNames;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint;
import io.gpudra.kubeletplugin.pods.NodePods;
import io.gpudra.kubeletplugin.prepare.BootRestore;
import io.gpudra.kubeletplugin.prepare.ClaimPreparer;
import io.gpudra.kubeletplugin.prepare.LiveGrant;
import io.gpudra.kubeletplugin.prepare.StartupRecovery;
import io.gpudra.kubeletplugin.prepare.call.WaitTimeout;
import io.gpudra.kubeletplugin.prepare.step.LocalNode;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Resource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A node of which everything outlives the plugin process: GPUs, CDI directory, checkpoint. The
 * plugin in it is the real one, and can die wherever it touches the node.
 */
final class Machine {
  static final CdiNames NAMES = new CdiNames(Facts.DRIVER);

  /** Nobody waits on the only thread there is: who would have to is told to come again. */
  private static final WaitTimeout NONE = new WaitTimeout(Duration.ZERO, Duration.ZERO);

  private static final Duration HEARTBEAT = Duration.ofSeconds(10);

  private final String name;
  private final World world;
  private final Hardware hardware;
  private final Publication publication;
  private final boolean kubeletAsksAgain;
  private final Path cdi;
  private Optional<Checkpoint> checkpoint = Optional.empty();
  private int boots = 1;
  private Optional<Life> starting = Optional.empty();
  private Optional<Life> life = Optional.empty();
  private Instant spoke = VirtualClock.START;
  private boolean unpublished;
  private boolean touched;
  private boolean locked;

  /** One plugin process. */
  static final class Life {
    private Optional<ClaimPreparer> preparer = Optional.empty();
    private boolean registered;
    private boolean over;

    ClaimPreparer preparer() {
      return preparer.orElseThrow();
    }
  }

  Machine(String name, World.Node kind, Path cdi, World world) {
    this.name = name;
    this.world = world;
    this.cdi = cdi;
    this.hardware = Hardware.of(name, kind.gpus(), cdi.resolveSibling("mps-" + name));
    this.publication = new Publication(hardware.atBoot());
    this.kubeletAsksAgain = kind.kubelet() != Profile.V1_27;
    makeDirectory();
  }

  private void makeDirectory() {
    try {
      Files.createDirectories(cdi);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String name() {
    return name;
  }

  Path cdi() {
    return cdi;
  }

  Hardware hardware() {
    return hardware;
  }

  /** As they are when nobody has done anything to them. */
  ImmutableList<Gpu> gpus() {
    return hardware.atBoot();
  }

  Publication publication() {
    return publication;
  }

  Optional<Life> life() {
    return life;
  }

  boolean lives() {
    return life.isPresent();
  }

  /** Whether the kubelet finds the plugin. */
  boolean serves() {
    return life.filter(living -> living.registered).isPresent();
  }

  boolean kubeletAsksAgain() {
    return kubeletAsksAgain;
  }

  /** Starts a plugin process unless one is about to start; it may die while it recovers. */
  void start() {
    if (starting.filter(other -> !other.over).isPresent()) {
      return;
    }
    Life next = new Life();
    starting = Optional.of(next);
    try {
      next.preparer = Optional.of(recover(next));
      mustLive(next);
      life = Optional.of(next);
      unpublished = true;
      world.say("plugin of %s starts", name);
      rejoin();
    } catch (Death died) {
      world.say("plugin of %s dies while it starts", name);
    } catch (IOException e) {
      world.say("plugin of %s does not start: %s", name, e.getMessage());
    } finally {
      starting = starting.filter(now -> now != next);
    }
  }

  private ClaimPreparer recover(Life next) throws IOException {
    LocalNode node =
        new LocalNode(
            name,
            bootId(),
            new FragileDevices(this, next, hardware.devices()),
            new FragileSpecs(this, next, CdiDirectory.open(cdi, NAMES)),
            new FragileStore(this, next),
            NodePods.UNKNOWN,
            Optional::empty);
    ClaimPreparer preparer = StartupRecovery.start(node, this::grantOf, NONE).preparer();
    preparer.onChange(() -> unpublished = !next.over || unpublished);
    return preparer;
  }

  /** To be repeated: what an old kubelet uses without a call is put back, before it is found. */
  void rejoin() {
    try {
      life.filter(this::knowsWhatIsUsed).ifPresent(this::register);
    } catch (Death died) {
      world.say("plugin of %s dies while it puts claims back", name);
    }
  }

  /** What a plugin looks at every few seconds. */
  void doChores() {
    rejoin();
    try {
      life.map(Life::preparer).ifPresent(this::mend);
    } catch (Death died) {
      world.say("plugin of %s dies in its chores", name);
    }
  }

  private void mend(ClaimPreparer preparer) {
    preparer.sweep();
    locked = true;
    try {
      var unused = preparer.restoreSpecs();
    } finally {
      locked = false;
    }
  }

  /** Whether the plugin does its work under the lock that keeps all others out. */
  boolean locked() {
    return locked;
  }

  private boolean knowsWhatIsUsed(Life living) {
    if (kubeletAsksAgain) {
      living.preparer().kubeletAsksAgain();
      return true;
    }
    BootRestore bootRestore = new BootRestore(living.preparer(), this::grantOf);
    return (living.registered ? bootRestore.again() : bootRestore.attempt()).isEmpty();
  }

  private void register(Life living) {
    unpublished |= !living.registered;
    living.registered = true;
  }

  /** What the server shows at this moment; now and then it does not answer. */
  private LiveGrant grantOf(ClaimRef ref) {
    if (world.fates().losesAnswer(this, "read")) {
      return new LiveGrant.NoAnswer("no answer");
    }
    return world
        .api()
        .get(Resource.CLAIMS, ref.namespace(), ref.name())
        .map(Facts::claim)
        .map(Machine::grantOf)
        .orElseGet(LiveGrant.Gone::new);
  }

  private static LiveGrant grantOf(ClaimFacts claim) {
    return Grants.grant(claim)
        .<LiveGrant>map(
            grant ->
                new LiveGrant.Granted(claim.uid(), grant, ImmutableSet.copyOf(claim.reservedFor())))
        .orElseGet(() -> new LiveGrant.NotGranted(claim.uid(), "it has no grant"));
  }

  /** The process is gone at once. */
  void kill() {
    starting.ifPresent(dying -> dying.over = true);
    life.ifPresent(dying -> dying.over = true);
    life = Optional.empty();
  }

  /** The process ends in order and says so. */
  void stop() {
    if (life.isPresent()) {
      publish();
      kill();
      publication.write(new Service.NotReady("Stopped"));
      tell();
    }
  }

  void bootUnderItsPods() {
    powerOff();
    powerOn();
  }

  void powerOff() {
    world.disturbances().rebooted(this);
    world.say("%s boots", name);
    world.actors().kubelet(name).powerOff();
    reboot();
  }

  void powerOn() {
    world.actors().kubelet(name).start();
    start();
  }

  /** The machine starts again: no container and no CDI file of before is there any more. */
  void reboot() {
    kill();
    boots++;
    try {
      for (ClaimUid claim : specs()) {
        CdiDirectory.open(cdi, NAMES).remove(claim);
      }
      hardware.reset();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String bootId() {
    return "boot-" + boots;
  }

  /** Around everything that a plugin does to its node. */
  void around(Life who, String operation, Effect effect) throws IOException {
    mustLive(who);
    world.fates().at(this, operation, /* before= */ true);
    mustLive(who);
    effect.run();
    touched = true;
    world.fates().at(this, operation, /* before= */ false);
    mustLive(who);
  }

  /** What a step does to the node. */
  interface Effect {
    void run() throws IOException;
  }

  private void mustLive(Life who) {
    if (who.over) {
      throw new Death("plugin of " + name);
    }
  }

  /** Dies wherever it is. */
  Death death() {
    kill();
    return new Death("plugin of " + name);
  }

  Optional<Checkpoint> checkpoint() {
    return checkpoint;
  }

  void save(Checkpoint next) {
    checkpoint = Optional.of(next);
    mustFit(writtenDown());
  }

  private void mustFit(ImmutableList<PreparedClaim> held) {
    for (Gpu gpu : gpus()) {
      Division.problem(gpu, Grants.holdingsOf(held, gpu))
          .ifPresent(problem -> world.broken("%s holds too much: %s".formatted(name, problem)));
    }
  }

  /** Whether the plugin has done something to the node since the last question. */
  boolean touched() {
    boolean since = touched;
    touched = false;
    return since;
  }

  boolean hasNews() {
    return unpublished && life.isPresent();
  }

  /** Whether it is time for a sign of life. */
  boolean silent() {
    return life.isPresent() && spoke.plus(HEARTBEAT).isBefore(world.clock().instant());
  }

  /** Writes the inventory to the server. */
  void publish() {
    spoke = world.clock().instant();
    publication.write(
        serves() ? new Service.Serving() : new Service.NotReady("Starting"),
        life.map(living -> living.preparer().gpus()).orElseGet(hardware.devices()::gpus),
        listed());
    unpublished = false;
    tell();
    world.nodeSpoke(name);
  }

  /** Nothing was heard of the plugin for too long. */
  void goesStale() {
    publication.write(new Service.Stale(world.clock().instant()));
    tell();
  }

  private void tell() {
    world.say("inventory of %s: %s", name, publication);
    world.nodeChanged(name);
  }

  /** What the living plugin holds, or a dead one wrote down. */
  ImmutableList<PreparedClaim> held() {
    return life.map(living -> living.preparer().held()).orElseGet(this::writtenDown);
  }

  /** What it holds, and the names that its kubelet may know. */
  ImmutableList<PreparedClaim> listed() {
    return life.map(living -> living.preparer().listed()).orElseGet(this::writtenDown);
  }

  private ImmutableList<PreparedClaim> writtenDown() {
    return checkpoint.stream()
        .filter(known -> known.bootId().equals(bootId()))
        .flatMap(known -> known.claims().entrySet().stream())
        .map(
            entry ->
                new PreparedClaim(
                    entry.getKey(),
                    entry.getValue().ref(),
                    entry.getValue().grant().devices().stream()
                        .map(device -> device.part())
                        .collect(ImmutableList.toImmutableList()),
                    Optional.empty()))
        .collect(ImmutableList.toImmutableList());
  }

  ImmutableSet<ClaimUid> specs() {
    try {
      return CdiDirectory.open(cdi, NAMES).present();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
