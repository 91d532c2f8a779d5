package io.gpudra.controller.dra.testing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.dra.ApiUnavailableException;
import io.gpudra.controller.dra.ClaimStore;
import io.gpudra.controller.dra.ClassStore;
import io.gpudra.controller.dra.ContextStore;
import io.gpudra.controller.dra.ContextStore.StatusPatch;
import io.gpudra.controller.dra.PodStore;
import io.gpudra.controller.dra.ReportSink;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Granted;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The API server and the caches over it, seen through the ports: resourceVersions, finalizers that
 * hold a deleted claim, the update rules of a claim's status (protocol.md 1.3), and writes that
 * fail as a test wants. Tells the wake-ups of every change, unless the caches are frozen; a cache
 * never falls behind an own write.
 */
public final class FakeCluster
    implements ClaimStore, ContextStore, PodStore, ClassStore, ReportSink {
  /** What happens to the next write of a verb; the effect may come first. */
  private record Fault(String verb, Kind kind, boolean afterTheEffect) {}

  /** Thrown where the controller is to die. */
  public static final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  public final Map<ClaimRef, ClaimFacts> claims = new LinkedHashMap<>();
  public final Map<ObjectKey, ContextFacts> contexts = new LinkedHashMap<>();
  public final Map<PodRef, PodFacts> pods = new HashMap<>();
  public final Map<String, ClassFacts> classes = new HashMap<>();

  /** Held by finalizers that are not ours. */
  public final Set<ClaimRef> heldByOthers = new HashSet<>();

  /** Every call that a server would have seen. */
  public final List<String> calls = new ArrayList<>();

  public final List<Warning> warnings = new ArrayList<>();

  /** What somebody may measure. */
  public final List<String> moments = new ArrayList<>();

  private final Map<ClaimRef, ClaimFacts> cache = new LinkedHashMap<>();
  private final Deque<Fault> faults = new ArrayDeque<>();
  private final Map<String, Runnable> interruptions = new HashMap<>();
  private Requeuer requeuer;
  private int version = 100;

  /** The caches hear nothing of others. */
  public boolean frozen;

  /** Writes until the crash, negative for none; and whether the last one still has its effect. */
  public int writesUntilCrash = -1;

  public boolean crashAfterTheEffect;

  public FakeCluster(Requeuer requeuer) {
    this.requeuer = requeuer;
  }

  /** A restarted controller lists everything anew. */
  public void connect(Requeuer restarted) {
    requeuer = restarted;
    cache.clear();
    cache.putAll(claims);
  }

  public void tellEverything() {
    ImmutableList.copyOf(cache.values()).forEach(requeuer::claimSeen);
    ImmutableList.copyOf(contexts.keySet()).forEach(requeuer::contextChanged);
  }

  public void failNext(String verb, Kind kind) {
    faults.add(new Fault(verb, kind, /* afterTheEffect= */ false));
  }

  public void failNextAfterTheEffect(String verb, Kind kind) {
    faults.add(new Fault(verb, kind, /* afterTheEffect= */ true));
  }

  /** Somebody else is a moment faster than the next write of a verb. */
  public void beforeNext(String verb, Runnable what) {
    interruptions.put(verb, what);
  }

  /** Somebody else writes a claim. */
  public void put(ClaimFacts claim) {
    store(Some.change(some -> some.version(nextVersion())).apply(claim), /* own= */ false);
  }

  /** Somebody else changes a claim. */
  public void change(ClaimRef ref, UnaryOperator<Some> how) {
    put(Some.change(how).apply(claim(ref)));
  }

  public ClaimFacts claim(ClaimRef ref) {
    return Optional.ofNullable(claims.get(ref)).orElseThrow();
  }

  /** Somebody else removes a claim at once, whatever holds it. */
  public void remove(ClaimRef ref) {
    ClaimFacts last = claims.remove(ref);
    if (last != null && !frozen) {
      cache.remove(ref);
      requeuer.claimGone(ref, last.uid());
    }
  }

  public void put(ContextFacts context) {
    contexts.put(context.key(), context);
    requeuer.contextChanged(context.key());
  }

  public void removeContext(ObjectKey key) {
    contexts.remove(key);
    requeuer.contextChanged(key);
  }

  public String nextVersion() {
    return Integer.toString(++version);
  }

  @Override
  public Optional<ClaimFacts> get(ClaimRef claim) {
    return Optional.ofNullable(cache.get(claim));
  }

  @Override
  public Optional<ClaimFacts> live(ClaimRef claim) throws ApiUnavailableException {
    calls.add("GET claim " + claim.name());
    if (fault("live").isPresent()) {
      throw new ApiUnavailableException("read claim " + claim);
    }
    Optional<ClaimFacts> now = Optional.ofNullable(claims.get(claim));
    now.ifPresent(this::cached);
    return now;
  }

  @Override
  public ImmutableList<ClaimFacts> liveList() {
    calls.add("LIST claims");
    claims.values().forEach(this::cached);
    return ImmutableList.copyOf(claims.values());
  }

  @Override
  public ImmutableList<ClaimRef> ofClass(String className) {
    return cache.values().stream()
        .filter(claim -> claim.className().equals(className))
        .map(ClaimFacts::ref)
        .collect(ImmutableList.toImmutableList());
  }

  @Override
  public ImmutableList<ClaimRef> ofParameters(ParametersRef parameters) {
    return ImmutableList.copyOf(cache.keySet());
  }

  @Override
  public Optional<PodRef> ownerPod(ClaimFacts claim) {
    return claim.ownerUid().map(uid -> new PodRef(Some.NS, uid.replace("-uid", ""), uid));
  }

  @Override
  public WriteOutcome addFinalizer(ClaimFacts seen) {
    return write(
        "addFinalizer",
        seen,
        now ->
            now.deleting() && !now.hasFinalizer() ? null : Some.change(s -> s.withFinalizer(true)));
  }

  @Override
  public WriteOutcome removeFinalizer(ClaimFacts seen) {
    return write("removeFinalizer", seen, now -> Some.change(s -> s.withFinalizer(false)));
  }

  @Override
  public WriteOutcome allocate(
      ClaimFacts seen, ResourceHandle handle, Optional<PodRef> reserveFor) {
    Granted granted = new Granted(Some.DRIVER, Optional.of(handle));
    String[] reserved = reserveFor.map(pod -> new String[] {pod.uid()}).orElse(new String[0]);
    return write(
        "allocate",
        seen,
        now -> {
          boolean refused = now.allocation().isPresent() || (now.ending() && reserved.length > 0);
          return refused
              ? null
              : Some.change(s -> s.allocation(Optional.of(granted)).reservedFor(reserved));
        });
  }

  @Override
  public WriteOutcome deallocate(ClaimFacts seen, boolean keep) {
    return write(
        "deallocate",
        seen,
        now ->
            now.reservedFor().isEmpty()
                ? Some.change(
                    s -> s.allocation(Optional.empty()).requested(false).mayStillBePrepared(keep))
                : null);
  }

  @Override
  public WriteOutcome requestDeallocation(ClaimFacts seen) {
    return write(
        "requestDeallocation", seen, now -> Some.change(s -> s.reservedFor().requested(true)));
  }

  @Override
  public Optional<ContextFacts> get(ObjectKey context) {
    return Optional.ofNullable(contexts.get(context));
  }

  @Override
  public ImmutableList<ContextFacts> all() {
    return ImmutableList.copyOf(contexts.values());
  }

  @Override
  public Kind apply(ContextFacts seen, StatusPatch patch) {
    calls.add("APPLY " + seen.key().name() + " " + patch.unsuitableNodes());
    Optional<Fault> fault = fault("apply");
    if (fault.isPresent()) {
      return fault.get().kind();
    }
    ContextFacts now = contexts.get(seen.key());
    if (now == null || !now.uid().equals(seen.uid())) {
      return Kind.GONE;
    }
    Map<String, ImmutableSet<String>> entries = new LinkedHashMap<>(now.unsuitableNodes());
    patch.unsuitableNodes().forEach((name, nodes) -> entries.put(name, ImmutableSet.copyOf(nodes)));
    put(
        new ContextFacts(
            now.pod(),
            now.uid(),
            nextVersion(),
            now.created(),
            now.deleting(),
            now.selectedNode(),
            now.potentialNodes(),
            ImmutableMap.copyOf(entries)));
    return Kind.DONE;
  }

  @Override
  public Optional<PodFacts> read(PodRef pod) {
    calls.add("GET pod " + pod.name());
    return Optional.ofNullable(pods.get(pod));
  }

  @Override
  public Optional<ClassFacts> get(String name) {
    return Optional.ofNullable(classes.get(name));
  }

  @Override
  public void warn(Warning warning) {
    warnings.add(warning);
  }

  @Override
  public void refused(UnsuitableReason.Kind kind) {}

  @Override
  public void granted(Mode mode, ClaimFacts claim, Instant asked) {
    moments.add("granted " + mode + " asked at " + asked);
  }

  @Override
  public void releasing(ClaimUid claim) {
    moments.add("releasing " + claim);
  }

  /** A change, or null for what the server refuses. */
  private interface Rule {
    @Nullable UnaryOperator<ClaimFacts> judge(ClaimFacts now);
  }

  private WriteOutcome write(String verb, ClaimFacts seen, Rule rule) {
    return write(verb, seen.ref().name(), () -> stored(seen, rule));
  }

  /** A write, also of another port, that fails as a test wants. */
  public WriteOutcome write(String verb, String name, Supplier<WriteOutcome> effect) {
    calls.add("PUT " + verb + " " + name);
    Optional.ofNullable(interruptions.remove(verb)).ifPresent(Runnable::run);
    crashIfDue(/* after= */ false);
    Optional<Fault> fault = fault(verb);
    if (fault.isPresent() && !fault.get().afterTheEffect()) {
      return WriteOutcome.of(fault.get().kind());
    }
    WriteOutcome outcome = effect.get();
    crashIfDue(/* after= */ true);
    return fault.map(lost -> WriteOutcome.of(lost.kind())).orElse(outcome);
  }

  private WriteOutcome stored(ClaimFacts seen, Rule rule) {
    ClaimFacts now = claims.get(seen.ref());
    if (now == null || !now.uid().equals(seen.uid())) {
      return WriteOutcome.of(Kind.GONE);
    }
    if (!now.resourceVersion().equals(seen.resourceVersion())) {
      return WriteOutcome.of(Kind.CONFLICT);
    }
    UnaryOperator<ClaimFacts> change = rule.judge(now);
    if (change == null) {
      return WriteOutcome.of(Kind.REJECTED);
    }
    ClaimFacts changed = Some.change(some -> some.version(nextVersion())).apply(change.apply(now));
    store(changed, /* own= */ true);
    return new WriteOutcome(Kind.DONE, Optional.ofNullable(claims.get(seen.ref())));
  }

  private void crashIfDue(boolean after) {
    if (after != crashAfterTheEffect || writesUntilCrash < 0) {
      return;
    }
    if (writesUntilCrash-- == 0) {
      throw new Crash();
    }
  }

  private Optional<Fault> fault(String verb) {
    Optional<Fault> fault = faults.stream().filter(one -> one.verb().equals(verb)).findFirst();
    fault.ifPresent(faults::remove);
    return fault;
  }

  private void store(ClaimFacts claim, boolean own) {
    ClaimRef ref = claim.ref();
    if (claim.deleting() && !claim.hasFinalizer() && !heldByOthers.contains(ref)) {
      remove(ref);
      return;
    }
    ClaimFacts before = claims.put(ref, claim);
    if (frozen && !own) {
      return;
    }
    if (before != null && !before.uid().equals(claim.uid())) {
      requeuer.claimGone(ref, before.uid());
    }
    cached(claim);
  }

  private void cached(ClaimFacts claim) {
    cache.put(claim.ref(), claim);
    requeuer.claimSeen(claim);
  }

  public ClassFacts addClass(String name, String driver, boolean structured) {
    ClassFacts added = new ClassFacts(name, driver, structured, Optional.empty(), Optional.empty());
    classes.put(name, added);
    return added;
  }

  /** See {@link GrantInvariants}. */
  public void checkInvariants() {
    GrantInvariants.check(claims.values());
  }
}
