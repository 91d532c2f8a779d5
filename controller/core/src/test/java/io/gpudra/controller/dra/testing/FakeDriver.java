package io.gpudra.controller.dra.testing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Sets;
import io.gpudra.controller.dra.Driver;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.controller.reason.StatedReason;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.HoldOwner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Devices are numbered slots of nodes; each claim takes one. Writes down every call but {@code
 * observe}, and refuses what the protocol must never do.
 */
public final class FakeDriver implements Driver<String> {
  public record Hold(String node, int slot, boolean granted, Optional<HoldOwner> owner) {
    String data() {
      return node + "#" + slot;
    }
  }

  public final Map<ClaimUid, Hold> holds = new TreeMap<>();
  public final List<String> calls = new ArrayList<>();
  public final List<ClaimUid> gone = new ArrayList<>();
  public final Map<String, DriverParameters<String>> parameters = new HashMap<>();
  private final ImmutableSortedMap<String, Integer> slots;
  private final Requeuer requeuer;

  /** Nodes that refuse everybody whatever is free. */
  public ImmutableSet<String> unsuitable = ImmutableSet.of();

  /** By the claim's name: nodes that refuse it alone, which only suitability says. */
  public final Map<String, ImmutableSet<String>> unsuitableFor = new HashMap<>();

  /** What is wrong with claims in their pods. */
  public ImmutableMap<ClaimUid, ImmutableList<String>> problems = ImmutableMap.of();

  /** Why nothing could ever serve any claim. */
  public ImmutableList<String> unsatisfiable = ImmutableList.of();

  /** Whether claims of equal parameters and class are refused alike. */
  public boolean alike;

  /** Nodes that look suitable and refuse the commit. */
  public ImmutableSet<String> refusingCommit = ImmutableSet.of();

  /** The limit that keeps every batch from every node. */
  public Optional<Allocation> limited = Optional.empty();

  /** The number of claims that may hold devices at once. */
  public int most = Integer.MAX_VALUE;

  /** What others do during the next search. */
  public Runnable duringNextAllocation = () -> {};

  /** Claims of which a node may still know. */
  public ImmutableSet<ClaimUid> mayStillBePrepared = ImmutableSet.of();

  /** What goes wrong once it holds. */
  public enum Defect {
    THROWS,
    FORGETS_HANDLES
  }

  public Optional<Defect> defect = Optional.empty();

  public FakeDriver(ImmutableMap<String, Integer> slots, Requeuer requeuer) {
    this.slots = ImmutableSortedMap.copyOf(slots);
    this.requeuer = requeuer;
  }

  @Override
  public String name() {
    return Some.DRIVER;
  }

  @Override
  public DriverParameters<String> parameters(ClassFacts resourceClass, ClaimFacts claim) {
    calls.add("parameters " + claim.ref().name());
    return parameters.getOrDefault(claim.ref().name(), new DriverParameters.Ready<>("one"));
  }

  @Override
  public long bytes(String wanted) {
    return MemoryBudget.text(wanted);
  }

  @Override
  public ImmutableMap<ClaimUid, ImmutableList<String>> problems(
      ImmutableList<PendingClaim<String>> claimsOfOnePod) {
    return problems;
  }

  @Override
  public ImmutableList<String> unsatisfiable(ClassFacts resourceClass, ClaimFacts claim) {
    return unsatisfiable;
  }

  @Override
  public NodeSuitability suitability(
      ImmutableList<PendingClaim<String>> claims, ImmutableSet<String> nodes) {
    calls.add("suitability " + names(claims) + " " + new TreeSet<>(nodes));
    ImmutableMap.Builder<ClaimUid, ImmutableMap<String, UnsuitableReason>> unsuitable =
        ImmutableMap.builder();
    for (PendingClaim<String> claim : claims) {
      ImmutableSet<String> alone =
          unsuitableFor.getOrDefault(claim.claim().ref().name(), ImmutableSet.of());
      ImmutableMap.Builder<String, UnsuitableReason> refusing = ImmutableMap.builder();
      nodes.forEach(
          node ->
              (alone.contains(node) ? Optional.of(FakeReason.NONE) : refusal(claims, node))
                  .ifPresent(why -> refusing.put(node, why)));
      unsuitable.put(claim.claim().uid(), refusing.buildOrThrow());
    }
    return new NodeSuitability(unsuitable.buildOrThrow());
  }

  @Override
  public Allocation allocate(
      ImmutableList<PendingClaim<String>> claims, NodeChoice where, HoldOwner owner) {
    Runnable others = duringNextAllocation;
    duringNextAllocation = () -> {};
    others.run();
    ImmutableList<String> nodes = nodes(where);
    calls.add(
        "allocate "
            + names(claims)
            + (where instanceof NodeChoice.AnyNode ? "" : " " + String.join(",", nodes)));
    if (limited.isPresent()) {
      return limited.get();
    }
    if (holds.size() + newcomers(claims) > most) {
      return new Allocation.Limited(
          StatedReason.of(UnsuitableReason.Kind.QUOTA_EXCEEDED, "%d may hold devices", most),
          ImmutableSet.of("most"));
    }
    Map<String, UnsuitableReason> why = new LinkedHashMap<>();
    for (String node : nodes) {
      Optional<UnsuitableReason> refusal =
          refusingCommit.contains(node) ? Optional.of(FakeReason.FULL) : refusal(claims, node);
      if (refusal.isEmpty()) {
        return hold(claims, node, owner);
      }
      why.put(node, refusal.get());
    }
    return new Allocation.Refused(everywhere(claims, ImmutableMap.copyOf(why)), alike);
  }

  private long newcomers(ImmutableList<PendingClaim<String>> claims) {
    return claims.stream().filter(claim -> !holds.containsKey(claim.claim().uid())).count();
  }

  private ImmutableList<String> nodes(NodeChoice where) {
    if (where instanceof NodeChoice.OneNode oneNode) {
      return ImmutableList.of(oneNode.node());
    }
    if (where instanceof NodeChoice.Fitting fitting) {
      return Sets.difference(
              fitting.nodes().orElse(ImmutableSet.copyOf(slots.keySet())), fitting.but().get())
          .immutableCopy()
          .asList();
    }
    return where instanceof NodeChoice.AnyOf some
        ? some.nodes().asList()
        : Sets.difference(slots.keySet(), ((NodeChoice.AnyNode) where).but().get())
            .immutableCopy()
            .asList();
  }

  @Override
  public void gone(ClaimUid claim) {
    gone.add(claim);
  }

  @Override
  public void granted(ClaimUid claim, HoldOwner owner) {
    Hold hold = holds.get(claim);
    if (hold == null || !hold.owner().equals(Optional.of(owner))) {
      throw new AssertionError("granted by " + owner + " what is " + hold);
    }
    holds.put(claim, new Hold(hold.node(), hold.slot(), true, hold.owner()));
  }

  @Override
  public void release(ClaimUid claim, HoldOwner owner) {
    calls.add("release " + claim);
    Hold hold = holds.remove(claim);
    if (hold != null && !hold.granted() && !hold.owner().equals(Optional.of(owner))) {
      throw new AssertionError(owner + " releases what is in flight: " + hold);
    }
    freed(hold);
  }

  @Override
  public boolean isSurplus(ClaimUid claim) {
    Hold hold = holds.get(claim);
    return hold != null
        && holds.entrySet().stream()
            .anyMatch(
                other ->
                    !other.getKey().equals(claim)
                        && other.getValue().granted()
                        && other.getValue().data().equals(hold.data()));
  }

  @Override
  public boolean mayStillBePrepared(ClaimUid claim) {
    return mayStillBePrepared.contains(claim);
  }

  @Override
  public void observe(ClaimRef ref, ClaimUid claim, Optional<ResourceHandle> ours) {
    Hold hold = holds.get(claim);
    if (hold != null && !hold.granted()) {
      return;
    }
    if (ours.isEmpty()) {
      holds.remove(claim);
      freed(hold);
      return;
    }
    String[] parts = ours.get().data().split("#", -1);
    holds.put(
        claim,
        new Hold(
            parts[0],
            Integer.parseInt(parts[1]),
            true,
            hold == null ? Optional.empty() : hold.owner()));
  }

  private void freed(@Nullable Hold hold) {
    if (hold != null) {
      requeuer.freed(hold.node(), 1);
    }
  }

  private Optional<UnsuitableReason> refusal(
      ImmutableList<PendingClaim<String>> claims, String node) {
    if (unsuitable.contains(node) || !slots.containsKey(node)) {
      return Optional.of(FakeReason.NONE);
    }
    boolean elsewhere =
        claims.stream()
            .map(claim -> holds.get(claim.claim().uid()))
            .anyMatch(hold -> hold != null && !hold.node().equals(node));
    return elsewhere || free(claims, node).size() < claims.size()
        ? Optional.of(FakeReason.FULL)
        : Optional.empty();
  }

  private List<Integer> free(ImmutableList<PendingClaim<String>> claims, String node) {
    Set<Integer> taken = new HashSet<>();
    holds.forEach(
        (held, hold) -> {
          if (hold.node().equals(node)
              && claims.stream().noneMatch(claim -> claim.claim().uid().equals(held))) {
            taken.add(hold.slot());
          }
        });
    return IntStream.range(0, slots.getOrDefault(node, 0))
        .filter(slot -> !taken.contains(slot))
        .boxed()
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private Allocation hold(
      ImmutableList<PendingClaim<String>> claims, String node, HoldOwner owner) {
    List<Integer> free = free(claims, node);
    ImmutableMap.Builder<ClaimUid, ResourceHandle> handles = ImmutableMap.builder();
    for (PendingClaim<String> claim : claims) {
      ClaimUid uid = claim.claim().uid();
      Hold hold =
          holds.computeIfAbsent(
              uid, unused -> new Hold(node, free.remove(0), false, Optional.of(owner)));
      handles.put(uid, new ResourceHandle(hold.data(), Optional.of(node), false));
    }
    if (defect.equals(Optional.of(Defect.THROWS))) {
      throw new IllegalStateException("a defect of the driver");
    }
    return new Allocation.Held(
        node, defect.isPresent() ? ImmutableMap.of() : handles.buildOrThrow());
  }

  private static NodeSuitability everywhere(
      ImmutableList<PendingClaim<String>> claims, ImmutableMap<String, UnsuitableReason> refusing) {
    return new NodeSuitability(
        claims.stream()
            .collect(
                ImmutableMap.toImmutableMap(claim -> claim.claim().uid(), unused -> refusing)));
  }

  private static List<String> names(ImmutableList<PendingClaim<String>> claims) {
    return claims.stream().map(claim -> claim.claim().ref().name()).toList();
  }
}
