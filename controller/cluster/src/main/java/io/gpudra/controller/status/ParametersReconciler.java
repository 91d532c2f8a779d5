package io.gpudra.controller.status;

import com.google.common.cache.Cache;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.gpu.ParametersReader;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.ReconcileResult;
import io.gpudra.controller.loop.Reconciler;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.crds.api.parameters.ParametersStatus;
import io.gpudra.crds.model.node.Inventory;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates parameters one at a time, and the nodes periodically. Equal specs are evaluated once
 * for each state of the nodes, while the result is cached. Confined to one thread.
 */
final class ParametersReconciler implements Reconciler {

  /** The key that stands for the nodes; no object has it. */
  static final ObjectKey NODES = new ObjectKey("", "");

  private final StatusObjects objects;
  private final Nodes nodes;
  private final StatusRateLimiter statusRateLimiter;
  private final Times times;
  private final Consumer<ObjectKey> enqueue;
  private final Cache<StatusTarget.Spec, ParametersStatus> evaluated =
      MemoryBudget.STATUS
          .<StatusTarget.Spec, ParametersStatus>cache(
              MemoryBudget.ALL,
              (spec, status) ->
                  MemoryBudget.ENTRY
                      + MemoryBudget.text(spec.toString())
                      + MemoryBudget.text(status.toString()))
          .build();

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

  @Override
  public ReconcileResult reconcile(ObjectKey key) throws InterruptedException {
    if (key.equals(NODES)) {
      return readCluster();
    }
    if (key.namespace().isEmpty()) {
      heed();
    }
    Duration rest = statusRateLimiter.rest(key.namespace());
    return rest.isZero() ? evaluate(key) : ReconcileResult.after(rest);
  }

  private ReconcileResult evaluate(ObjectKey key) throws InterruptedException {
    ParametersEvaluator now = parametersEvaluator;
    Optional<StatusTarget> subject = objects.find(key);
    if (subject.isEmpty() || now == null) {
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
        || !before.gpuNodes().isAs(gpuNodes)
        || !before.forbidden().equals(forbidden)) {
      enqueueAll();
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

  private ParametersStatus status(StatusTarget statusTarget, ParametersEvaluator now)
      throws InterruptedException {
    ParametersStatus known = evaluated.getIfPresent(statusTarget.spec());
    if (known == null) {
      statusRateLimiter.beforeWork();
      long begun = times.nanoTime().getAsLong();
      known = evaluate(statusTarget.spec(), now);
      evaluated.put(statusTarget.spec(), known);
      statusRateLimiter.worked(
          statusTarget.key().namespace(), times.nanoTime().getAsLong() - begun);
    }
    return known.of(statusTarget.generation());
  }

  private static ParametersStatus evaluate(StatusTarget.Spec spec, ParametersEvaluator now) {
    return spec instanceof StatusTarget.OfClaim claim
        ? now.evaluate(claim.spec())
        : now.evaluate(((StatusTarget.OfClass) spec).spec());
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
