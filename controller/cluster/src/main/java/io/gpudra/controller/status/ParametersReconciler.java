package io.gpudra.controller.status;

import com.google.common.cache.Cache;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.gpu.ParametersReader;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.ReconcileResult;
import io.gpudra.controller.loop.Reconciler;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.ParametersStatus;
import io.gpudra.crds.model.node.Inventory;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates parameters one at a time, and the nodes periodically. Equal specs are evaluated once
 * for each state of the nodes, while the result is cached. Confined to one thread, but for {@link
 * #edited}.
 */
final class ParametersReconciler implements Reconciler {

  /** The key that stands for the nodes; no object has it. */
  static final ObjectKey NODES = new ObjectKey("", "");

  private final StatusObjects objects;
  private final Nodes nodes;
  private final StatusRateLimiter statusRateLimiter;
  private final Times times;
  private final Consumer<ObjectKey> enqueue;
  private final Cache<StatusTarget.Spec, Evaluation> evaluated =
      MemoryBudget.STATUS
          .<StatusTarget.Spec, Evaluation>cache(
              MemoryBudget.ALL,
              (spec, evaluation) ->
                  MemoryBudget.ENTRY
                      + MemoryBudget.text(spec.toString())
                      + MemoryBudget.text(evaluation.status().toString()))
          .build();

  /** The objects whose last evaluation depended on names of nodes and GPUs. */
  private final Set<ObjectKey> apart = new HashSet<>();

  /** The objects that were edited after their last evaluation; any thread adds. */
  private final Set<ObjectKey> edited = ConcurrentHashMap.newKeySet();

  private @Nullable ParametersEvaluator parametersEvaluator;

  /**
   * The nodes.
   *
   * @param all the current state of all nodes
   */
  record Nodes(
      String driver, ParametersReader reader, Supplier<? extends Collection<Inventory>> all) {
    GpuNodes fleet() {
      return GpuNodes.of(driver, all.get());
    }
  }

  /**
   * A result.
   *
   * @param apart whether it depends on names of nodes and GPUs
   */
  private record Evaluation(ParametersStatus status, boolean apart) {}

  /** The clock for timestamps, and the time for durations. */
  record Times(Clock clock, LongSupplier nanoTime) {}

  /**
   * A reconciler without results.
   *
   * @param enqueue receives the keys of objects to reconcile because nodes changed
   */
  ParametersReconciler(
      StatusObjects objects,
      Nodes nodes,
      StatusRateLimiter statusRateLimiter,
      Times times,
      Consumer<ObjectKey> enqueue) {
    this.objects = objects;
    this.nodes = nodes;
    this.statusRateLimiter = statusRateLimiter;
    this.times = times;
    this.enqueue = enqueue;
  }

  /** The object keeps its place before others of its namespace until it is evaluated. */
  void edited(ObjectKey key) {
    edited.add(key);
  }

  @Override
  public ReconcileResult reconcile(ObjectKey key) throws InterruptedException {
    if (key.equals(NODES)) {
      return readCluster();
    }
    if (key.namespace().isEmpty()) {
      heed();
    }
    Duration rest = statusRateLimiter.rest(key.namespace());
    if (rest.isZero()) {
      return evaluate(key);
    }
    return edited.contains(key) ? ReconcileResult.firstAfter(rest) : ReconcileResult.after(rest);
  }

  private ReconcileResult evaluate(ObjectKey key) throws InterruptedException {
    edited.remove(key);
    ParametersEvaluator now = parametersEvaluator;
    Optional<StatusTarget> subject = objects.find(key);
    if (subject.isEmpty() || now == null) {
      apart.remove(key);
      // The first pass over the nodes evaluates all objects.
      return ReconcileResult.done();
    }
    ParametersStatus status = status(subject.get(), now);
    return subject.get().stored().isEqualTo(status)
        ? ReconcileResult.done()
        : write(subject.get(), status);
  }

  private ReconcileResult readCluster() {
    long begun = times.nanoTime().getAsLong();
    GpuNodes gpuNodes = nodes.fleet();
    ImmutableSet<String> forbidden = objects.forbiddenAttributes();
    ParametersEvaluator before = parametersEvaluator;
    parametersEvaluator = new ParametersEvaluator(nodes.reader(), gpuNodes, forbidden);
    if (before == null
        || !before.gpuNodes().hasKindsOf(gpuNodes)
        || !before.forbidden().equals(forbidden)) {
      enqueueAll();
    } else if (!before.gpuNodes().isAs(gpuNodes)) {
      enqueueApart();
    }
    statusRateLimiter.worked(times.nanoTime().getAsLong() - begun);
    return ReconcileResult.after(
        gpuNodes.isEmpty()
            ? ControllerDelays.STATUS_ROUND_WITHOUT_NODES
            : ControllerDelays.STATUS_ROUND);
  }

  /** A class may forbid further attributes; a deleted class has an effect at the next pass. */
  private void heed() {
    ImmutableSet<String> forbidden = objects.forbiddenAttributes();
    if (parametersEvaluator != null && !parametersEvaluator.forbidden().equals(forbidden)) {
      parametersEvaluator =
          new ParametersEvaluator(
              parametersEvaluator.reader(), parametersEvaluator.gpuNodes(), forbidden);
      enqueueAll();
    }
  }

  private void enqueueAll() {
    evaluated.invalidateAll();
    objects.keys().forEach(enqueue);
  }

  /** A node may change the names of its GPUs as often as it likes. */
  private void enqueueApart() {
    evaluated.asMap().values().removeIf(Evaluation::apart);
    apart.forEach(enqueue);
  }

  private ParametersStatus status(StatusTarget statusTarget, ParametersEvaluator now)
      throws InterruptedException {
    Evaluation known = evaluated.getIfPresent(statusTarget.spec());
    if (known == null) {
      statusRateLimiter.beforeWork();
      long begun = times.nanoTime().getAsLong();
      known = evaluate(statusTarget.spec(), now);
      evaluated.put(statusTarget.spec(), known);
      statusRateLimiter.worked(
          statusTarget.key().namespace(), times.nanoTime().getAsLong() - begun);
    }
    if (known.apart()) {
      apart.add(statusTarget.key());
    } else {
      apart.remove(statusTarget.key());
    }
    return known.status().of(statusTarget.generation());
  }

  private static Evaluation evaluate(StatusTarget.Spec spec, ParametersEvaluator now) {
    if (spec instanceof StatusTarget.OfClaim claim) {
      boolean apart = now.reader().ofClaim(claim.spec()).differsBetweenNodes();
      return new Evaluation(now.evaluate(claim.spec()), apart);
    }
    GpuClassParametersSpec ofClass = ((StatusTarget.OfClass) spec).spec();
    return new Evaluation(
        now.evaluate(ofClass), now.reader().ofClass(ofClass).differsBetweenNodes());
  }

  private ReconcileResult write(StatusTarget statusTarget, ParametersStatus status)
      throws InterruptedException {
    statusRateLimiter.beforeCall();
    ParametersStatus next = statusTarget.stored().followedBy(status, times.clock().instant());
    return switch (objects.write(statusTarget, next)) {
      // A rejected write would be rejected again: wait until the object or the nodes change.
      case DONE, GONE, REJECTED -> ReconcileResult.done();
      case CONFLICT, UNCLEAR -> ReconcileResult.again();
    };
  }
}
