package io.gpudra.controller.kube;

import static java.util.Objects.requireNonNull;

import io.gpudra.controller.allocation.request.RequestSize;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.NodeDemand;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The memory of the pods without a node: one budget, of which a namespace has at most three times
 * what is left. Of a new pod beyond it only the name is kept, so that the scheduler judges it.
 * Usable from any thread.
 */
final class GatedPodMemory {
  private static final int FOR_EACH_FREE = 3;

  /** A part of the budget, in which new pods at the gate have no room. */
  private static final int WITHOUT_GATE = 8;

  /** The pod itself, its key, and its place in the index. */
  private static final long POD = 3L * MemoryBudget.ENTRY;

  private final long budget;

  /** All fields are guarded by this. */
  private final Map<String, Charge> charges = new HashMap<>();

  private final Map<String, Share> shares = new HashMap<>();
  private long total;

  private record Charge(PodRef pod, long bytes, NodeDemand demand) {}

  /** The pods of one namespace. */
  private static final class Share {
    /** The number of pods for each object, of which equal ones may not be one. */
    private final IdentityHashMap<NodeDemand, Integer> demands = new IdentityHashMap<>();

    private long bytes;
  }

  GatedPodMemory(long budget) {
    this.budget = budget;
  }

  /** The pod as it is to be kept. */
  synchronized GatedPod kept(GatedPod pod) {
    String key = key(pod.ref());
    Optional<Charge> known =
        Optional.ofNullable(charges.get(key)).filter(charge -> charge.pod().equals(pod.ref()));
    release(key);
    GatedPod kept = known.map(before -> known(pod, before)).orElseGet(() -> unknown(pod));
    if (known.isPresent() || kept.equals(pod)) {
      charge(key, charge(kept));
    }
    return kept;
  }

  /** A new leader has to know what pods whose gate is gone were granted. */
  private GatedPod unknown(GatedPod pod) {
    long limit = pod.gated() ? budget - budget / WITHOUT_GATE : budget;
    return fits(charge(pod), limit) ? pod : pod.crowded();
  }

  /**
   * A pod may have a grant to be given back, so its claims stay. Its owner may change its demand,
   * and nothing else that takes memory.
   */
  private GatedPod known(GatedPod pod, Charge before) {
    return pod.demand().equals(before.demand()) || fits(charge(pod), budget)
        ? pod
        : pod.crowdedWithClaims();
  }

  private static Charge charge(GatedPod pod) {
    return new Charge(pod.ref(), bytes(pod), pod.demand());
  }

  /** The pod is gone; there may be another of its name. */
  synchronized void gone(PodRef pod) {
    String key = key(pod);
    Charge known = charges.get(key);
    if (known != null && known.pod().equals(pod)) {
      release(key);
    }
  }

  /** Only objects of these keys exist: the list that had others may have ended early. */
  synchronized void retain(Predicate<String> keys) {
    charges.keySet().stream().filter(key -> !keys.test(key)).toList().forEach(this::release);
  }

  private static String key(PodRef pod) {
    return ObjectCache.key(pod.namespace(), pod.name());
  }

  private boolean fits(Charge now, long limit) {
    Share own = shares.getOrDefault(now.pod().namespace(), new Share());
    long more = growth(own, now);
    return own.bytes + more <= FOR_EACH_FREE * (limit - total - more);
  }

  /** Equal demands of a namespace are one object. */
  private static long growth(Share share, Charge charge) {
    return charge.bytes()
        + (share.demands.containsKey(charge.demand()) ? 0 : RequestSize.of(charge.demand()));
  }

  private void charge(String key, Charge now) {
    Share share = shares.computeIfAbsent(now.pod().namespace(), unused -> new Share());
    add(share, growth(share, now));
    share.demands.merge(now.demand(), 1, Integer::sum);
    charges.put(key, now);
  }

  private void release(String key) {
    Charge before = charges.remove(key);
    if (before != null) {
      Share share = requireNonNull(shares.get(before.pod().namespace()));
      share.demands.computeIfPresent(
          before.demand(), (demand, pods) -> pods == 1 ? null : pods - 1);
      add(share, -growth(share, before));
      if (share.demands.isEmpty()) {
        shares.remove(before.pod().namespace());
      }
    }
  }

  private void add(Share share, long bytes) {
    share.bytes += bytes;
    total += bytes;
  }

  private static long bytes(GatedPod pod) {
    PodFacts facts = pod.facts();
    return POD
        + MemoryBudget.text(key(pod.ref()))
        + MemoryBudget.text(pod.ref().uid())
        + facts.claims().stream().mapToLong(GatedPodMemory::bytes).sum()
        + facts.containers().stream().mapToLong(container -> entry(container.name())).sum()
        + pod.refusal().map(MemoryBudget::text).orElse(0)
        + pod.nominated().map(MemoryBudget::text).orElse(0)
        + facts.group().map(group -> entry(group.name())).orElse(0L);
  }

  private static long bytes(PodClaim entry) {
    return entry(entry.name())
        + (entry.resolution() instanceof Resolution.ResolvedTo to ? entry(to.claim().name()) : 0);
  }

  private static long entry(String text) {
    return (long) MemoryBudget.ENTRY + MemoryBudget.text(text);
  }
}
