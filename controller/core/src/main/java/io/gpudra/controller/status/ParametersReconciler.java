package io.gpudra.controller.status;

import com.google.common.cache.Cache;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.gpu.ParametersReader;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.Outcome;
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
 * for each state of the nodes, while they are remembered. Confined to one thread.
 */
final class ParametersReconciler implements Reconciler {

  /** No object has this key; it stands for the nodes. */
  static final ObjectKey NODES = new ObjectKey("", "");

  private static final Duration BETWEEN_LOOKS = Duration.ofMinutes(1);

  /** While there are no nodes, the first one should show soon. */
  private static final Duration WHILE_EMPTY = Duration.ofSeconds(1);

  private final StatusObjects objects;
  private final Nodes nodes;
  private final Pace pace;
  private final Times times;
  private final Consumer<ObjectKey> toJudge;
  private final Cache<Subject.Spec, ParametersStatus> judged =
      MemoryBudget.STATUS
          .<Subject.Spec, ParametersStatus>cache(
              MemoryBudget.ALL,
              (spec, status) ->
                  MemoryBudget.ENTRY
                      + MemoryBudget.text(spec.toString())
                      + MemoryBudget.text(status.toString()))
          .build();

  private @Nullable ParametersJudge judge;

  /**
   * The nodes.
   *
   * @param all all nodes as they are now
   */
  record Nodes(
      String driver, ParametersReader reader, Supplier<? extends Collection<Inventory>> all) {
    Fleet fleet() {
      return Fleet.of(driver, all.get());
    }
  }

  /** The clock for timestamps, and the time for durations. */
  record Times(Clock clock, LongSupplier nanoTime) {}

  /**
   * A reconciler without results.
   *
   * @param toJudge takes objects to reconcile because nodes changed
   */
  ParametersReconciler(
      StatusObjects objects, Nodes nodes, Pace pace, Times times, Consumer<ObjectKey> toJudge) {
    this.objects = objects;
    this.nodes = nodes;
    this.pace = pace;
    this.times = times;
    this.toJudge = toJudge;
  }

  @Override
  public Outcome reconcile(ObjectKey key) throws InterruptedException {
    if (key.equals(NODES)) {
      return look();
    }
    if (key.namespace().isEmpty()) {
      heed();
    }
    ParametersJudge now = judge;
    Optional<Subject> subject = objects.find(key);
    if (subject.isEmpty() || now == null) {
      // The first pass over the nodes evaluates all objects.
      return Outcome.done();
    }
    ParametersStatus status = status(subject.get(), now);
    return subject.get().stored().says(status) ? Outcome.done() : write(subject.get(), status);
  }

  private Outcome look() {
    long begun = times.nanoTime().getAsLong();
    Fleet fleet = nodes.fleet();
    ImmutableSet<String> forbidden = objects.forbiddenAttributes();
    ParametersJudge before = judge;
    judge = new ParametersJudge(nodes.reader(), fleet, forbidden);
    if (before == null || !before.fleet().isAs(fleet) || !before.forbidden().equals(forbidden)) {
      judgeAll();
    }
    pace.worked(times.nanoTime().getAsLong() - begun);
    return Outcome.after(fleet.isEmpty() ? WHILE_EMPTY : BETWEEN_LOOKS);
  }

  /** A class may forbid further attributes; a deleted class shows at the next pass. */
  private void heed() {
    ImmutableSet<String> forbidden = objects.forbiddenAttributes();
    if (judge != null && !judge.forbidden().equals(forbidden)) {
      judge = new ParametersJudge(judge.reader(), judge.fleet(), forbidden);
      judgeAll();
    }
  }

  private void judgeAll() {
    judged.invalidateAll();
    objects.keys().forEach(toJudge);
  }

  private ParametersStatus status(Subject subject, ParametersJudge now)
      throws InterruptedException {
    ParametersStatus known = judged.getIfPresent(subject.spec());
    if (known == null) {
      pace.beforeWork();
      long begun = times.nanoTime().getAsLong();
      known = judge(subject.spec(), now);
      judged.put(subject.spec(), known);
      pace.worked(times.nanoTime().getAsLong() - begun);
    }
    return known.of(subject.generation());
  }

  private static ParametersStatus judge(Subject.Spec spec, ParametersJudge now) {
    return spec instanceof Subject.OfClaim claim
        ? now.judge(claim.spec())
        : now.judge(((Subject.OfClass) spec).spec());
  }

  private Outcome write(Subject subject, ParametersStatus status) throws InterruptedException {
    pace.beforeCall();
    ParametersStatus next = subject.stored().followedBy(status, times.clock().instant());
    return switch (objects.write(subject, next)) {
      // A rejected write would be rejected again: wait until the object or the nodes change.
      case DONE, GONE, REJECTED -> Outcome.done();
      case CONFLICT, UNCLEAR -> Outcome.again();
    };
  }
}
