package io.gpudra.controller.dra.queue;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.MultimapBuilder;
import com.google.common.collect.SetMultimap;
import io.gpudra.controller.dra.ClaimFeed;
import io.gpudra.controller.dra.ClaimStore;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.WorkQueue;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Turns events of the cluster into keys to reconcile. Called by the watch threads ({@code claim…},
 * {@code context…}, {@code …Changed}) and by the driver ({@code freed}, {@code nameReleased});
 * returns at once.
 *
 * <p>The caches and the driver are built around it, so it gets them last, from the {@code
 * ProtocolEngine}: no event may come before that.
 */
public final class Requeuer {
  private record Ports(ClaimFeed feed, ClaimStore claims) {}

  private final WorkQueue claimKeys;
  private final WorkQueue contextKeys;
  private final ContextIndex index = new ContextIndex();
  private final WaitQueue waitQueue;
  private volatile @Nullable Ports ports;

  /** A standby queues no key: otherwise it would collect the keys of all claims ever created. */
  private volatile boolean working;

  /**
   * A queue that accepts no key before the takeover.
   *
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   * @param random spreads the polls of the waiters
   */
  public Requeuer(LongSupplier nanoTime, RandomGenerator random) {
    this.claimKeys = new WorkQueue(nanoTime);
    this.contextKeys = new WorkQueue(nanoTime);
    this.waitQueue = new WaitQueue(nanoTime, random, this::wakeWaiter);
  }

  /** Keys of claims to reconcile. */
  public WorkQueue claimKeys() {
    return claimKeys;
  }

  /** Keys of scheduling contexts to reconcile. */
  public WorkQueue contextKeys() {
    return contextKeys;
  }

  /** A claim appeared or changed, also by our own write. */
  public void claimSeen(ClaimFacts now) {
    known().feed().changed(now);
    wake(now);
    wakeContexts(now.ref());
  }

  /** A claim's object is gone. */
  public void claimGone(ClaimRef ref, ClaimUid uid) {
    known().feed().deleted(ref, uid);
    wakeFirst(ref);
    wakeContexts(ref);
  }

  /** A scheduling context appeared, changed or is gone. */
  public void contextChanged(ObjectKey context) {
    wake(WorkKey.context(context));
  }

  /** A class appeared, changed or is gone. */
  public void classChanged(String className) {
    known().claims().ofClass(className).forEach(this::requestChanged);
  }

  /** The namespace's labels changed, on which the limits of a class may depend. */
  public void namespaceChanged(String className, String namespace) {
    if (working) {
      known().claims().ofClass(className).stream()
          .filter(claim -> claim.namespace().equals(namespace))
          .forEach(this::requestChanged);
    }
  }

  /**
   * Claim parameters appeared, changed or are gone. A change of class parameters counts as a change
   * of each class that names them.
   */
  public void parametersChanged(ParametersRef parameters) {
    known().claims().ofParameters(parameters).forEach(this::requestChanged);
  }

  /** Devices of a node became free; the oldest waiters for that node are requeued in portions. */
  public void freed(String node, int devices) {
    waitQueue.freed(node, devices);
  }

  /** This claim may be allocated again for a reason other than free devices, such as its name. */
  public void nameReleased(ClaimRef claim) {
    requestChanged(claim);
  }

  /** The answer of {@code Driver.isSurplus} may have changed. */
  public void surplusFound(ClaimRef claim) {
    wakeFirst(claim);
  }

  public void bind(ClaimFeed feed, ClaimStore claims) {
    ports = new Ports(feed, claims);
  }

  /** The number of entries in the index of contexts and their claims. */
  public int named() {
    return index.size();
  }

  public WaitQueue waitQueue() {
    return waitQueue;
  }

  /** Accepts keys from now on; the caller adds the keys of earlier events. */
  public void begin() {
    working = true;
  }

  public void wake(WorkKey work) {
    if (working) {
      keys(work).add(work.key());
    }
  }

  /** Waiters that a node wakes too often do not come before others. */
  private void wakeWaiter(WorkKey work, Duration delay) {
    if (delay.isZero()) {
      wakeFirst(work);
    } else if (working) {
      keys(work).addAfter(work.key(), delay);
    }
  }

  /** A waiter with an offer comes before those that poll. */
  private void wakeFirst(WorkKey work) {
    if (working) {
      keys(work).addFirst(work.key());
    }
  }

  private WorkQueue keys(WorkKey work) {
    return switch (work.kind()) {
      case CLAIM -> claimKeys;
      case CONTEXT -> contextKeys;
    };
  }

  /** A claim that releases devices comes before the waiters for devices. */
  public void wake(ClaimFacts claim) {
    if (claim.ending()) {
      wakeFirst(claim.ref());
    } else {
      wake(WorkKey.claim(claim.ref()));
    }
  }

  private void wakeFirst(ClaimRef claim) {
    wakeFirst(WorkKey.claim(claim));
  }

  /** To be called before the claims are read, so that no change is missed. */
  public void setClaims(ObjectKey context, ImmutableSet<ClaimRef> claims) {
    index.names(context, claims);
  }

  public boolean isWanted(ClaimRef claim) {
    return !wantedBy(claim).isEmpty();
  }

  /** Contexts that name the claim, among those that were reconciled. */
  public ImmutableSet<ObjectKey> wantedBy(ClaimRef claim) {
    return index.contextsOf(claim);
  }

  /** This context does not wait any more: perhaps no pod wants its claims now. */
  public void remove(ObjectKey context) {
    waitQueue.remove(WorkKey.context(context));
    index.forget(context).forEach(claim -> wake(WorkKey.claim(claim)));
  }

  /** The request changed, so the former refusal must not count for other waiters. */
  private void requestChanged(ClaimRef claim) {
    index.contextsOf(claim).forEach(context -> waitQueue.remove(WorkKey.context(context)));
    wake(WorkKey.claim(claim));
    wakeContexts(claim);
  }

  private void wakeContexts(ClaimRef claim) {
    index.contextsOf(claim).forEach(this::contextChanged);
  }

  private Ports known() {
    Ports learnt = ports;
    if (learnt == null) {
      throw new IllegalStateException("told of the cluster before the engine was built");
    }
    return learnt;
  }

  /** Maps claims to the contexts that name them, and contexts to their claims. */
  static final class ContextIndex {
    /** Both maps are guarded by this. */
    private final SetMultimap<ObjectKey, ClaimRef> claims =
        MultimapBuilder.hashKeys().linkedHashSetValues().build();

    private final SetMultimap<ClaimRef, ObjectKey> contexts =
        MultimapBuilder.hashKeys().linkedHashSetValues().build();

    synchronized void names(ObjectKey context, ImmutableSet<ClaimRef> named) {
      if (claims.get(context).equals(named)) {
        return;
      }
      forget(context);
      claims.putAll(context, named);
      named.forEach(claim -> contexts.put(claim, context));
    }

    /** The claims that the context named until now. */
    synchronized ImmutableSet<ClaimRef> forget(ObjectKey context) {
      ImmutableSet<ClaimRef> named = ImmutableSet.copyOf(claims.removeAll(context));
      named.forEach(claim -> contexts.remove(claim, context));
      return named;
    }

    synchronized int size() {
      return claims.size() + contexts.size();
    }

    synchronized ImmutableSet<ObjectKey> contextsOf(ClaimRef claim) {
      return ImmutableSet.copyOf(contexts.get(claim));
    }
  }
}
