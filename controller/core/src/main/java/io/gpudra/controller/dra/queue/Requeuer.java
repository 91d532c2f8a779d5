package io.gpudra.controller.dra.queue;

import com.google.common.collect.Comparators;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import com.google.common.collect.MultimapBuilder;
import com.google.common.collect.SetMultimap;
import com.google.common.collect.Sets;
import io.gpudra.controller.dra.ClaimFeed;
import io.gpudra.controller.dra.ClaimStore;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.WorkQueue;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
  /** The work that an event of one claim wakes at once: at most 32 pods share a claim. */
  static final int WAKES = 64;

  private record Ports(ClaimFeed feed, ClaimStore claims) {}

  private final WorkQueue claimKeys;
  private final WorkQueue contextKeys;
  private final WorkQueue gateKeys;
  private final WorkIndex index = new WorkIndex();
  private final WaitQueue waitQueue;

  /**
   * By claim with events of which some work that names it does not know, the work that was woken.
   */
  private final Map<ClaimRef, ImmutableSet<WorkKey>> crowded = new ConcurrentHashMap<>();

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
    this.gateKeys = new WorkQueue(nanoTime);
    this.waitQueue = new WaitQueue(nanoTime, random, this::wakeAfter);
  }

  /** Keys of claims to reconcile. */
  public WorkQueue claimKeys() {
    return claimKeys;
  }

  /** Keys of scheduling contexts to reconcile. */
  public WorkQueue contextKeys() {
    return contextKeys;
  }

  /** Keys of pods that wait at a gate. */
  public WorkQueue gateKeys() {
    return gateKeys;
  }

  /** A claim appeared or changed, also by our own write. */
  public void claimSeen(ClaimFacts now) {
    known().feed().changed(now);
    wakeAll(now.ref());
    wake(now);
  }

  /** A claim's object is gone. */
  public void claimGone(ClaimRef ref, ClaimUid uid) {
    known().feed().deleted(ref, uid);
    wakeAll(ref);
    wakeFirst(ref);
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

  /** Devices of a node became free; the first waiters for that node are requeued in portions. */
  public void freed(String node, int devices) {
    waitQueue.freed(node, devices);
  }

  /** Claims of the namespace may hold more than before; the first that wait for it are requeued. */
  public void limitsEased(String namespace) {
    waitQueue.eased(namespace);
  }

  /** The name of this claim is free on a node; some that wait with it get an offer of the node. */
  public void nameReleased(String node, ClaimRef claim) {
    waitQueue.nameReleased(
        node,
        ImmutableSet.<WorkKey>builder()
            .addAll(index.first(claim, WAKES))
            .add(WorkKey.claim(claim))
            .build());
  }

  /** The answer of {@code Driver.isSurplus} may have changed. */
  public void surplusFound(ClaimRef claim) {
    wakeFirst(claim);
  }

  public void bind(ClaimFeed feed, ClaimStore claims) {
    ports = new Ports(feed, claims);
  }

  /** The number of entries in the index of work and its claims. */
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

  /** Requeues work after a delay: at once before others, since it has an offer. */
  public void wakeAfter(WorkKey work, Duration delay) {
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
      case GATE -> gateKeys;
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
  public void names(WorkKey work, ImmutableSet<ClaimRef> claims) {
    index.names(work, claims);
  }

  public boolean isWanted(ClaimRef claim) {
    return index.count(claim) > 0;
  }

  /** Work that names the claim, among that which was reconciled. */
  public ImmutableSet<WorkKey> wantedBy(ClaimRef claim) {
    return index.of(claim);
  }

  /** This work does not wait any more: perhaps no pod wants its claims now. */
  public void forget(WorkKey work) {
    waitQueue.remove(work);
    index.forget(work).forEach(claim -> wake(WorkKey.claim(claim)));
  }

  /** The request changed, so the former refusal must not count for other waiters. */
  private void requestChanged(ClaimRef claim) {
    index.of(claim).forEach(waitQueue::remove);
    wakeAll(claim);
    wake(WorkKey.claim(claim));
  }

  /** Wakes some of the work that names the claim; its own pass, which must follow, the others. */
  private void wakeAll(ClaimRef claim) {
    ImmutableSet<WorkKey> first = index.first(claim, WAKES);
    if (working && index.count(claim) > WAKES) {
      crowded.put(claim, first);
    }
    first.forEach(this::wake);
  }

  /**
   * Wakes the work that names the claim and was not woken by its last events. A pass of the claim
   * calls this: there is one, however many events there were.
   */
  public void wakeOthers(ClaimRef claim) {
    ImmutableSet<WorkKey> woken = crowded.remove(claim);
    if (woken != null) {
      int position = WAKES;
      for (WorkKey work : Sets.difference(index.of(claim), woken)) {
        Duration delay = ControllerDelays.WAKES_OF_A_CLAIM.multipliedBy(position / WAKES);
        wakeAfter(work, Comparators.min(delay, ControllerDelays.WITHOUT_EVENT));
        position++;
      }
    }
  }

  private Ports known() {
    Ports learnt = ports;
    if (learnt == null) {
      throw new IllegalStateException("told of the cluster before the engine was built");
    }
    return learnt;
  }

  /** Maps claims to the work that names them, and work to its claims. */
  static final class WorkIndex {
    /** Both maps are guarded by this. */
    private final SetMultimap<WorkKey, ClaimRef> claims =
        MultimapBuilder.hashKeys().linkedHashSetValues().build();

    private final SetMultimap<ClaimRef, WorkKey> works =
        MultimapBuilder.hashKeys().linkedHashSetValues().build();

    synchronized void names(WorkKey work, ImmutableSet<ClaimRef> named) {
      if (claims.get(work).equals(named)) {
        return;
      }
      forget(work);
      claims.putAll(work, named);
      named.forEach(claim -> works.put(claim, work));
    }

    /** The claims that the work named until now. */
    synchronized ImmutableSet<ClaimRef> forget(WorkKey work) {
      ImmutableSet<ClaimRef> named = ImmutableSet.copyOf(claims.removeAll(work));
      named.forEach(claim -> works.remove(claim, work));
      return named;
    }

    synchronized int size() {
      return claims.size() + works.size();
    }

    synchronized int count(ClaimRef claim) {
      return works.get(claim).size();
    }

    /** The work that names the claim for longest. */
    synchronized ImmutableSet<WorkKey> first(ClaimRef claim, int most) {
      return ImmutableSet.copyOf(Iterables.limit(works.get(claim), most));
    }

    synchronized ImmutableSet<WorkKey> of(ClaimRef claim) {
      return ImmutableSet.copyOf(works.get(claim));
    }
  }
}
