package io.gpudra.controller.dra.scheduling;

import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.PodStore;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.loop.ControllerDelays;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * The pods behind the contexts, each read once per context. A read is valid for one allocation of
 * each claim. When a claim is deallocated, is to be deallocated, or is re-created, the pod may have
 * ended and must be read again. The end of a pod, or its deletion timestamp, is final.
 */
public final class PodReadCache {
  /** The known state of the pod of a context. */
  sealed interface Read {

    /** The pod is alive. */
    record Live(PodFacts pod) implements Read {}

    /** The pod never needs devices again, or the context belongs to another pod. */
    record Ended() implements Read {}

    /** The pod must be read again after this delay. */
    record Later(Duration delay) implements Read {}
  }

  /** One read; only the worker with its key uses it. */
  private static final class Entry {
    private final String contextUid;
    private final long readAt;
    private final Optional<PodFacts> pod;

    /** Claims that were allocated since the read, by an event or by this driver. */
    private final Set<ClaimUid> allocated = new HashSet<>();

    /** The claim of each name since the read. */
    private final Map<ClaimRef, ClaimUid> named = new HashMap<>();

    /** Claims whose deletion or deallocation was requested since the read. */
    private final Set<ClaimUid> asked = new HashSet<>();

    private Optional<InvalidatedRead> spent = Optional.empty();
    private boolean doubted;

    private Entry(String contextUid, long readAt, Optional<PodFacts> pod) {
      this.contextUid = contextUid;
      this.readAt = readAt;
      this.pod = pod;
    }

    private Read read() {
      return pod.filter(found -> !found.deleting() && !found.terminal())
          .<Read>map(Read.Live::new)
          .orElseGet(Read.Ended::new);
    }

    private boolean lost(ClaimFacts claim) {
      return claim.allocation().isEmpty() && allocated.contains(claim.uid());
    }

    private boolean newlyAsked(ClaimFacts claim) {
      return claim.ending() && allocated.contains(claim.uid()) && !asked.contains(claim.uid());
    }

    /** A claim may have been re-created because the pod has ended. */
    private boolean recreated(ClaimFacts claim) {
      return !named.getOrDefault(claim.ref(), claim.uid()).equals(claim.uid());
    }

    private void note(ClaimFacts claim) {
      named.put(claim.ref(), claim.uid());
      if (claim.allocation().isPresent()) {
        allocated.add(claim.uid());
      }
      if (claim.ending()) {
        asked.add(claim.uid());
      }
    }
  }

  /** The time when a read became invalid, and the resourceVersion of the context then. */
  private record InvalidatedRead(String resourceVersion, long at) {}

  private final Map<ObjectKey, Entry> entries = new ConcurrentHashMap<>();
  private final PodStore pods;
  private final Predicate<PodFacts> heldBack;
  private final LongSupplier nanoTime;

  /**
   * An empty cache.
   *
   * @param heldBack whether other work allocates the claims of a pod, with those of its group
   */
  public PodReadCache(PodStore pods, Predicate<PodFacts> heldBack, LongSupplier nanoTime) {
    this.pods = pods;
    this.heldBack = heldBack;
    this.nanoTime = nanoTime;
  }

  /** Whether other work allocates the claims of the pod. */
  boolean isHeldBack(PodFacts pod) {
    return heldBack.test(pod);
  }

  /** The pod, read now if necessary. */
  Read of(ContextFacts context) throws ApiUnavailableException {
    Entry entry = entries.get(context.key());
    if (entry == null || !entry.contextUid.equals(context.uid())) {
      return read(context);
    }
    if (entry.read() instanceof Read.Ended ended) {
      return ended;
    }
    Duration rest = rest(entry, context);
    if (!rest.isZero()) {
      return new Read.Later(rest);
    }
    boolean old = nanoTime.getAsLong() - entry.readAt >= ControllerDelays.SETTLING.toNanos();
    return entry.spent.isPresent() || (entry.doubted && old) ? read(context) : entry.read();
  }

  /** Marks the pod as inconsistent: it is read again when the read is a second old. */
  void doubt(ObjectKey context) {
    Entry entry = entries.get(context);
    if (entry != null) {
      entry.doubted = true;
    }
  }

  /** These claims were allocated on the basis of the read. */
  void granted(ObjectKey context, ImmutableSet<ClaimUid> claims) {
    Entry entry = entries.get(context);
    if (entry != null) {
      entry.allocated.addAll(claims);
    }
  }

  /**
   * Records the pod's claims.
   *
   * @return whether the read may still be used
   */
  boolean stillGood(ContextFacts context, ImmutableSet<ClaimFacts> claims) {
    Entry entry = entries.get(context.key());
    if (entry == null) {
      return false;
    }
    boolean used =
        claims.stream()
            .anyMatch(
                claim -> entry.lost(claim) || entry.newlyAsked(claim) || entry.recreated(claim));
    if (used) {
      entry.spent =
          Optional.of(new InvalidatedRead(context.resourceVersion(), nanoTime.getAsLong()));
    }
    claims.forEach(entry::note);
    return !used;
  }

  void forget(ObjectKey context) {
    entries.remove(context);
  }

  public int size() {
    return entries.size();
  }

  private Read read(ContextFacts context) throws ApiUnavailableException {
    long now = nanoTime.getAsLong();
    Entry entry = new Entry(context.uid(), now, pods.read(context.pod()));
    entries.put(context.key(), entry);
    return entry.read();
  }

  private Duration rest(Entry entry, ContextFacts context) {
    long now = nanoTime.getAsLong();
    return entry
        .spent
        .filter(
            invalidatedRead -> invalidatedRead.resourceVersion().equals(context.resourceVersion()))
        .map(
            invalidatedRead ->
                Duration.ofNanos(
                    ControllerDelays.SETTLING.toNanos() - (now - invalidatedRead.at())))
        .filter(rest -> !rest.isNegative())
        .orElse(Duration.ZERO);
  }
}
