package io.gpudra.controller.dra.queue;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.NodeChoice.AnyNode;
import io.gpudra.controller.dra.NodeChoice.AnyOf;
import io.gpudra.controller.dra.NodeChoice.Fitting;
import io.gpudra.controller.dra.queue.WaitQueue.ScanScope;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.crds.model.WaitRank;
import io.gpudra.crds.model.node.NodeDemand;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * One evaluation of a waiter, from {@link WaitQueue#enter} to its refusal or {@link
 * WaitQueue#remove}. Devices that become free in between are not missed.
 */
public final class Turn {
  private final WaitQueue waitQueue;
  private final Waiter waiter;
  private final Optional<Object> request;
  private final ScanScope scope;
  private final long easings;

  Turn(WaitQueue waitQueue, Waiter waiter, Optional<Object> request, ScanScope scope) {
    this(waitQueue, waiter, request, scope, waitQueue.easings(waiter));
  }

  private Turn(
      WaitQueue waitQueue, Waiter waiter, Optional<Object> request, ScanScope scope, long easings) {
    this.waitQueue = waitQueue;
    this.waiter = waiter;
    this.request = request;
    this.scope = scope;
    this.easings = easings;
  }

  /** The nodes on which to allocate for a waiter that any node suits. */
  public NodeChoice where() {
    return scope
        .nodes()
        .<NodeChoice>map(AnyOf::new)
        .orElseGet(() -> new AnyNode(() -> waitQueue.reservedForOthers(waiter)));
  }

  /**
   * The same for a pod with a demand on its node.
   *
   * @param leftOut nodes that do not suit the pod
   */
  public NodeChoice where(NodeDemand demand, Supplier<ImmutableSet<String>> leftOut) {
    return new Fitting(
        demand,
        scope.nodes(),
        () -> Sets.union(waitQueue.reservedForOthers(waiter), leftOut.get()).immutableCopy());
  }

  /** The nodes whose devices are on offer to waiters that come first, now. */
  public ImmutableSet<String> onOffer() {
    return waitQueue.reservedForOthers(waiter);
  }

  /** This turn without the node, if its devices are on offer to a higher priority. */
  public Optional<Turn> leaving(String node) {
    return waitQueue.reservedForHigher(waiter).contains(node)
        ? Optional.of(new Turn(waitQueue, waiter, request, scope.leaving(node), easings))
        : Optional.empty();
  }

  /** This turn of a waiter of whom the priority was not known. */
  public Turn withPriority(int priority) {
    WaitRank rank = new WaitRank(priority, waiter.rank().since());
    Waiter ranked = new Waiter(rank, waiter.uid(), waiter.work());
    return new Turn(waitQueue, ranked, request, scope, easings);
  }

  /** Whether these are all nodes. */
  public boolean everywhere() {
    return scope.nodes().isEmpty();
  }

  /**
   * These nodes refuse the pod.
   *
   * @return the delay until the next poll
   */
  public Duration refused(ImmutableSet<String> nodes) {
    return waitQueue.refused(waiter, Optional.of(nodes), Optional.empty(), scope);
  }

  /**
   * These nodes refuse the pod, and the scheduler has to choose another one.
   *
   * @return the delay until the next poll
   */
  public Duration choosing(ImmutableSet<String> refusing) {
    return waitQueue.choosing(waiter, refusing, scope);
  }

  /**
   * All nodes refuse the waiter, which any node suits.
   *
   * @param alike whether an equal request gets the same refusal
   * @return the delay until the next poll
   */
  public Duration refusedAnywhere(boolean alike) {
    return waitQueue.refused(waiter, Optional.empty(), request.filter(unused -> alike), scope);
  }

  /**
   * Limits of the namespace keep the waiter from devices, on any node.
   *
   * @param limits their names
   * @param claims the number of claims that wait
   * @return the delay until the next poll
   */
  public Duration limited(ImmutableSet<String> limits, int claims) {
    return waitQueue.limited(waiter, limits, claims, easings);
  }

  /** Whether there is none to let pass. */
  public boolean comesFirst() {
    return waitQueue.comesFirst(waiter);
  }

  /**
   * Lets those pass that wait longer for limits of the namespace and are being evaluated now.
   *
   * @param claims the number of claims that wait
   * @return the delay until the next poll; empty if there are none
   */
  public Optional<Duration> letPass(int claims) {
    return waitQueue.letPass(waiter, claims, easings);
  }

  /**
   * When unsuitable nodes were published for the pod, and whether suitable ones may be.
   *
   * @param suitable the nodes to be published as suitable again
   */
  public PublishHistory publishHistory(ImmutableSet<String> suitable) {
    return waitQueue.publishHistory(waiter.work(), suitable);
  }

  /** Unsuitable nodes were published for the pod just now. */
  public void published() {
    waitQueue.published(waiter.work());
  }
}
