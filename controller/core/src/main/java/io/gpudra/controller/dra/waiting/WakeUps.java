package io.gpudra.controller.dra.waiting;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.MultimapBuilder;
import com.google.common.collect.SetMultimap;
import io.gpudra.controller.dra.ClaimFeed;
import io.gpudra.controller.dra.Claims;
import io.gpudra.controller.dra.WorkKey;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.WorkQueue;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Turns what happened in the cluster into keys to look at. Called by the watch threads ({@code
 * claim…}, {@code context…}, {@code …Changed}) and by the driver ({@code freed}, {@code nameFree});
 * returns at once.
 *
 * <p>The caches and the driver are built around it, so it learns them last, from the {@code
 * Engine}: nothing may be told before that.
 */
public final class WakeUps {
  private record Known(ClaimFeed feed, Claims claims) {}

  private final WorkQueue claimKeys;
  private final WorkQueue contextKeys;
  private final ContextIndex index = new ContextIndex();
  private final Waiters waiters;
  private volatile @Nullable Known known;

  /** A standby takes no key: it would gather those of every claim there ever was. */
  private volatile boolean working;

  /**
   * Wakes nobody before the takeover.
   *
   * @param nanoTime monotonic nanoseconds such as {@link System#nanoTime}
   * @param random spreads the polls of those who wait
   */
  public WakeUps(LongSupplier nanoTime, RandomGenerator random) {
    this.claimKeys = new WorkQueue(nanoTime);
    this.contextKeys = new WorkQueue(nanoTime);
    this.waiters = new Waiters(nanoTime, random, this::wakeFirst);
  }

  /** Keys of claims to look at. */
  public WorkQueue claimKeys() {
    return claimKeys;
  }

  /** Keys of scheduling contexts to look at. */
  public WorkQueue contextKeys() {
    return contextKeys;
  }

  /** A claim appeared or changed, by anybody, ourselves included. */
  public void claimSeen(ClaimFacts now) {
    known().feed().seen(now);
    wake(now);
    wakeContexts(now.ref());
  }

  /** A claim's object is gone. */
  public void claimGone(ClaimRef ref, ClaimUid uid) {
    known().feed().gone(ref, uid);
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

  /** What a class allows may depend on the namespace's labels, and they changed. */
  public void namespaceChanged(String className, String namespace) {
    if (working) {
      known().claims().ofClass(className).stream()
          .filter(claim -> claim.namespace().equals(namespace))
          .forEach(this::requestChanged);
    }
  }

  /**
   * Claim parameters appeared, changed or are gone. Parameters of a class are told as a change of
   * each class that names them.
   */
  public void parametersChanged(ParametersRef parameters) {
    known().claims().ofParameters(parameters).forEach(this::requestChanged);
  }

  /** Devices of a node became free; the oldest waiters of that node are woken, in portions. */
  public void freed(String node, int devices) {
    waiters.freed(node, devices);
  }

  /** Something other than devices that stood in the way of this claim is gone. */
  public void nameFree(ClaimRef claim) {
    requestChanged(claim);
  }

  /** The driver may answer {@link Driver#surplus} otherwise than before. */
  public void surplus(ClaimRef claim) {
    wakeFirst(claim);
  }

  public void learn(ClaimFeed feed, Claims claims) {
    known = new Known(feed, claims);
  }

  /** How many contexts and claims of theirs are known by each other. */
  public int named() {
    return index.size();
  }

  public Waiters waiters() {
    return waiters;
  }

  /** From now on keys are taken; whoever begins adds those of what was told before. */
  public void begin() {
    working = true;
  }

  public void wake(WorkKey work) {
    if (working) {
      keys(work).add(work.key());
    }
  }

  /** Who has devices on offer comes before those who look again without a cause. */
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

  /** What gives devices back comes before those who wait for them. */
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

  /** To be called before the claims are read, so that no change of them is missed. */
  public void names(ObjectKey context, ImmutableSet<ClaimRef> claims) {
    index.names(context, claims);
  }

  public boolean wanted(ClaimRef claim) {
    return !wantedBy(claim).isEmpty();
  }

  /** Contexts that name the claim, as far as they were looked at. */
  public ImmutableSet<ObjectKey> wantedBy(ClaimRef claim) {
    return index.contextsOf(claim);
  }

  /** Nobody waits at this context any more: its claims may have nobody left who wants them. */
  public void forget(ObjectKey context) {
    waiters.leaves(WorkKey.context(context));
    index.forget(context).forEach(claim -> wake(WorkKey.claim(claim)));
  }

  /** What is asked for changed, so the answer to it is nobody else's news. */
  private void requestChanged(ClaimRef claim) {
    index.contextsOf(claim).forEach(context -> waiters.leaves(WorkKey.context(context)));
    wake(WorkKey.claim(claim));
    wakeContexts(claim);
  }

  private void wakeContexts(ClaimRef claim) {
    index.contextsOf(claim).forEach(this::contextChanged);
  }

  private Known known() {
    Known learnt = known;
    if (learnt == null) {
      throw new IllegalStateException("told of the cluster before the engine was built");
    }
    return learnt;
  }

  /** Which contexts name a claim, and which claims a context names. */
  static final class ContextIndex {
    /** Both guarded by this. */
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

    /** The claims the context named until now. */
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
