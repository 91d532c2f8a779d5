package io.gpudra.controller.dra.testing;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Maps;
import com.google.common.collect.MoreCollectors;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.engine.EngineParts;
import io.gpudra.controller.dra.engine.ProtocolEngine;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.WorkLoop;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.WaitRank;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The engine over the doubles, driven key by key on a clock that stands still. */
public final class World {
  private final AtomicLong now = new AtomicLong();
  private final ImmutableMap<String, Integer> slots;
  public final FakeCluster cluster;
  public Requeuer requeuer = new Requeuer(now::get, () -> 0L);
  public FakeDriver driver;
  public EngineParts<String> parts;
  public ProtocolEngine engine;
  public MetricRegistry metrics = new MetricRegistry();
  public WorkLoop claimLoop;
  public WorkLoop contextLoop;

  /** Further work, if there is any. */
  public BooleanSupplier more = () -> false;

  /** Pods whose claims other work allocates. */
  public Predicate<PodFacts> heldBack = pod -> false;

  /** Passes fail in this test: elsewhere trying again would hide what is broken. */
  public boolean mayFail;

  public World(ImmutableMap<String, Integer> slots) {
    this.slots = slots;
    cluster = new FakeCluster(requeuer);
    cluster.addClass("mock-class", Some.DRIVER, /* structured= */ false);
    cluster.addClass("other-class", "other-driver", /* structured= */ false);
    driver = new FakeDriver(slots, requeuer);
    engine = engine();
    claimLoop = loop("claims");
    contextLoop = loop("contexts");
    requeuer.begin();
  }

  public static World of(String node, int devices) {
    return new World(ImmutableMap.of(node, devices));
  }

  /** The process is gone; another one wins the lease. */
  public void restart() throws ApiUnavailableException {
    int most = driver.most;
    requeuer = new Requeuer(now::get, () -> 0L);
    driver = new FakeDriver(slots, requeuer);
    driver.most = most;
    cluster.connect(requeuer);
    engine = engine();
    metrics = new MetricRegistry();
    claimLoop = loop("claims");
    contextLoop = loop("contexts");
    cluster.tellEverything();
    engine.takeover().run().forEach(contextLoop::runNow);
  }

  private ProtocolEngine engine() {
    parts =
        EngineParts.of(
            driver,
            new ProtocolEngine.Ports(cluster, cluster, cluster, cluster, cluster),
            requeuer,
            Runnable::run,
            now::get);
    return new ProtocolEngine(parts, now::get, pod -> heldBack.test(pod));
  }

  private WorkLoop loop(String name) {
    return name.equals("claims")
        ? new WorkLoop(name, requeuer.claimKeys(), engine.claims(), metrics)
        : new WorkLoop(name, requeuer.contextKeys(), engine.contexts(), metrics);
  }

  /** How the only key that was worked on so far ended. */
  public String outcome() {
    return metrics.getMeters().entrySet().stream()
        .filter(meter -> meter.getValue().getCount() > 0)
        .map(meter -> meter.getKey().substring(meter.getKey().lastIndexOf('.') + 1))
        .collect(MoreCollectors.onlyElement());
  }

  /** Works until nothing is due. */
  public World run() {
    int steps = 0;
    while (contextLoop.runOnce() || claimLoop.runOnce() || more.getAsBoolean()) {
      cluster.checkInvariants();
      if (++steps > 10_000) {
        throw new AssertionError("never comes to rest: " + cluster.calls);
      }
    }
    if (!mayFail && failed() > 0) {
      throw new AssertionError("passes that failed: " + failed());
    }
    return this;
  }

  private long failed() {
    return Stream.of("claims", "contexts", "gates")
        .mapToLong(loop -> metrics.meter("loop." + loop + ".failed").getCount())
        .sum();
  }

  /** What the engine remembers, without what it does not. */
  public Map<String, Integer> remembered() {
    return ImmutableSortedMap.copyOf(
        Maps.filterValues(
            Maps.transformValues(engine.entries(), IntSupplier::getAsInt), count -> count != 0));
  }

  public long nanoTime() {
    return now.get();
  }

  /** Lets time pass without working. */
  public void elapse(Duration time) {
    now.addAndGet(time.toNanos());
  }

  /** Lets time pass in small steps, working at each. */
  public World pass(Duration time) {
    long end = now.get() + time.toNanos();
    while (now.get() < end) {
      now.addAndGet(Duration.ofMillis(50).toNanos());
      run();
    }
    return this;
  }

  public List<String> takeCalls() {
    List<String> calls = ImmutableList.copyOf(cluster.calls);
    cluster.calls.clear();
    return calls;
  }

  public World addClaim(Some claim) {
    cluster.put(claim.facts());
    return this;
  }

  public ClaimFacts claim(String name) {
    return cluster.claim(Some.ref(name));
  }

  public boolean hasClaim(String name) {
    return cluster.claims.containsKey(Some.ref(name));
  }

  public static PodRef podRef(String name) {
    return new PodRef(Some.NS, name, name + "-uid");
  }

  public static PodClaim direct(String name) {
    return new PodClaim(
        "my-" + name, new Resolution.ResolvedTo(new ClaimRef(Some.NS, name), false));
  }

  public World addPod(String name, PodClaim... claims) {
    return addPod(new PodFacts(podRef(name), false, false, ImmutableList.copyOf(claims)));
  }

  public World addPod(String name, WaitRank rank, PodClaim... claims) {
    return addPod(
        new PodFacts(
            podRef(name),
            rank,
            Optional.empty(),
            false,
            false,
            ImmutableList.copyOf(claims),
            ImmutableList.of()));
  }

  public World addPod(PodFacts pod) {
    cluster.pods.put(pod.ref(), pod);
    return this;
  }

  /** The pod's scheduling context, as the scheduler writes it. */
  public World addContext(String pod, Optional<String> selected, String... potential) {
    ObjectKey key = new ObjectKey(Some.NS, pod);
    ContextFacts before = cluster.contexts.get(key);
    cluster.put(
        new ContextFacts(
            podRef(pod),
            pod + "-context",
            cluster.nextVersion(),
            Some.EPOCH,
            false,
            selected,
            ImmutableSet.copyOf(potential),
            before == null ? ImmutableMap.of() : before.unsuitableNodes()));
    return this;
  }

  public World select(String pod, String node) {
    return addContext(pod, Optional.of(node), node);
  }

  public ImmutableMap<String, ImmutableSet<String>> entries(String pod) {
    return Optional.ofNullable(cluster.contexts.get(new ObjectKey(Some.NS, pod)))
        .orElseThrow()
        .unsuitableNodes();
  }
}
