package io.gpudra.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.LedgerListener;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.ledger.DoubleGrant;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.engine.ProtocolEngine;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.dra.testing.Some;
import io.gpudra.controller.gpu.GpuAlerts;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.ParametersObjects;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.WorkLoop;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.NodeFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pods and claims that come and go, over the real cache, overlay, engine, driver and ledgers. */
final class FlatMemoryTest {
  private static final int PODS = Integer.getInteger("pods", 10_000);

  private static final int AT_ONCE = 6;
  private static final int NODES = 2;
  private static final int GPUS = 2;
  private static final String NS = "ns";
  private static final String DRIVER = "gpu.example.com";
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration LONGER_THAN_ANY_DELAY = Duration.ofMinutes(2);
  private static final ImmutableSet<String> NODE_NAMES =
      IntStream.range(0, NODES).mapToObj(i -> "n" + i).collect(ImmutableSet.toImmutableSet());
  private static final ClassFacts CLASS =
      new ClassFacts("gpu", DRIVER, false, Optional.empty(), Optional.empty());

  private final AtomicLong now = new AtomicLong();
  private final SplittableRandom random = new SplittableRandom(1);
  private final MetricRegistry metrics = new MetricRegistry();
  private final Requeuer requeuer = new Requeuer(now::get, random);
  private final LaggingServer server = new LaggingServer(DRIVER, requeuer);
  private final Ledgers ledgers = new Ledgers();
  private final ProtocolEngine engine =
      new ProtocolEngine(
          new GpuDriver(
              DRIVER, new NoParameters(), ledgers, () -> new GrantAudit(1, START), new NoAlerts()),
          new ProtocolEngine.Ports(
              server, server, FlatMemoryTest::pod, name -> Optional.of(CLASS), new Silent()),
          requeuer,
          Runnable::run,
          now::get);
  private final WorkLoop claimLoop =
      new WorkLoop("claims", requeuer.claimKeys(), engine.claims(), metrics);
  private final WorkLoop contextLoop =
      new WorkLoop("contexts", requeuer.contextKeys(), engine.contexts(), metrics);

  /** The most there ever was of anything. */
  private final Map<String, Integer> most = new TreeMap<>();

  @BeforeEach
  void start() throws ApiUnavailableException {
    ledgers.setListener(new Waking());
    assertThat(engine.takeover().run()).isEmpty();
    NODE_NAMES.forEach(node -> ledgers.observe(inventory(node)));
  }

  @Test
  void thousandsOfPodsLeaveNothingBehind() {
    for (int i = 0; i < PODS + AT_ONCE; i++) {
      if (i < PODS) {
        arrive(i);
      }
      if (i >= AT_ONCE) {
        leave(i - AT_ONCE);
      }
      work(random.nextInt(20));
      pass(Duration.ofMillis(50));
      if (i % AT_ONCE == 0) {
        NODE_NAMES.forEach(ledgers::nodeSpoke);
        sizes().forEach((what, size) -> most.merge(what, size, Math::max));
      }
    }
    work(Integer.MAX_VALUE);
    pass(LONGER_THAN_ANY_DELAY);
    NODE_NAMES.forEach(ledgers::nodeSpoke);
    work(Integer.MAX_VALUE);

    assertThat(sizes()).allSatisfy((what, size) -> assertThat(size).as(what).isZero());
    assertThat(most.values()).allSatisfy(size -> assertThat(size).isLessThan(200));
    assertThat(most.get("waiters")).as("pods that had to wait").isPositive();
    assertThat(most.get("heldClaims")).as("GPUs in use").isEqualTo(NODES * GPUS);
  }

  private Map<String, Integer> sizes() {
    Map<String, Integer> sizes = new TreeMap<>();
    engine.entries().forEach((what, size) -> sizes.put(what, size.getAsInt()));
    metrics
        .getGauges((name, metric) -> name.matches(".*(depth|delayed|failing)"))
        .forEach((name, gauge) -> sizes.put(name, (Integer) ((Gauge<?>) gauge).getValue()));
    sizes.put("heldClaims", ledgers.heldClaims());
    sizes.put("names", ledgers.snapshot().stream().mapToInt(node -> node.unseen().size()).sum());
    sizes.put("claimsAhead", server.overlay.ahead());
    sizes.put("claimCache", server.cache.size());
    return sizes;
  }

  /** The watch lags behind the work by chance. */
  private void work(int steps) {
    boolean busy = true;
    for (int i = 0; i < steps && busy; i++) {
      boolean told = random.nextInt(3) > 0 && server.deliver();
      boolean context = contextLoop.runOnce();
      boolean claim = claimLoop.runOnce();
      busy = told || context || claim || server.deliver();
    }
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  private static boolean immediate(int pod) {
    return pod % 10 == 0;
  }

  private void arrive(int pod) {
    Some claim =
        Some.claim(ref(pod).name())
            .in(ref(pod).namespace())
            .uid("uid-" + pod)
            .version("")
            .created(START.plusMillis(pod))
            .ofClass(CLASS.name());
    server.create((immediate(pod) ? claim.immediate() : claim).facts());
    server.put(
        new ContextFacts(
            podRef(pod),
            "context-" + pod,
            "1",
            START.plusMillis(pod),
            false,
            Optional.of("n" + pod % NODES),
            NODE_NAMES,
            ImmutableMap.of()));
  }

  private void leave(int pod) {
    server.remove(key(pod));
    server.end(ref(pod));
  }

  private static String name(int pod) {
    return "pod-" + pod;
  }

  private static ClaimRef ref(int pod) {
    return new ClaimRef(NS, name(pod));
  }

  private static ObjectKey key(int pod) {
    return new ObjectKey(NS, name(pod));
  }

  private static PodRef podRef(int pod) {
    return new PodRef(NS, name(pod), "uid-of-" + name(pod));
  }

  private static Optional<PodFacts> pod(PodRef ref) {
    Resolution claim = new Resolution.ResolvedTo(new ClaimRef(NS, ref.name()), false);
    return Optional.of(
        new PodFacts(ref, false, false, ImmutableList.of(new PodClaim("gpu", claim))));
  }

  private static Inventory inventory(String node) {
    return NodeFixture.node(node).gpus(GPUS, GpuModels.T4).inventory();
  }

  private final class Waking implements LedgerListener {
    @Override
    public void freed(String node, int devices) {
      requeuer.freed(node, devices);
    }

    @Override
    public void nameReleased(String node, ClaimRef claim) {
      requeuer.nameReleased(node, claim);
    }

    @Override
    public void grantedTwice(DoubleGrant doubleGrant) {
      throw new AssertionError(doubleGrant);
    }

    @Override
    public void surplusFound(ClaimRef claim) {
      throw new AssertionError(claim);
    }
  }

  private static final class Silent implements ReportSink {
    @Override
    public void warn(Warning warning) {}

    @Override
    public void refused(UnsuitableReason.Kind kind) {}
  }

  private static final class NoAlerts implements GpuAlerts {
    @Override
    public void unreadableHandle(
        ClaimRef ref, ClaimUid claim, Optional<String> node, String problem) {
      throw new AssertionError(problem);
    }

    @Override
    public void strayHandle(ClaimRef ref, ClaimUid claim, Grant grant) {
      throw new AssertionError(grant);
    }

    @Override
    public void conditionFailed(String expression, String problem) {}

    @Override
    public void conditionBroken(String expression, String result) {}
  }

  private static final class NoParameters implements ParametersObjects {
    @Override
    public Optional<GpuClaimParameters> ofClaim(String namespace, String name) {
      return Optional.empty();
    }

    @Override
    public Optional<GpuClassParameters> ofClass(String name) {
      return Optional.empty();
    }

    @Override
    public Optional<ImmutableMap<String, String>> labelsOfNamespace(String namespace) {
      return Optional.empty();
    }
  }
}
