package io.gpudra.controller.view.explain;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.events.PodBlocker;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.dra.queue.WaitQueue.Waiter;
import io.gpudra.controller.dra.scheduling.PendingPod;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.explain.ClaimDetails.State;
import io.gpudra.controller.view.explain.ExplainTarget.Kind;
import io.gpudra.controller.view.explain.GroupExplainer.Explained;
import io.gpudra.controller.view.explain.NodeEvaluator.Verdict;
import io.gpudra.controller.view.explain.WaitDetails.Help;
import io.gpudra.controller.view.explain.WaitDetails.Place;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.PodRef;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Explains pods and claims of one snapshot. */
public final class ClusterExplainer {
  private final ObjectLookup lookup;
  private final NodeEvaluator nodeEvaluator;
  private final ClaimDetailsReader claimDetailsReader;
  private final GroupExplainer groupExplainer;
  private final Supplier<WaitingOrder> queue;

  /** An explainer for one snapshot; may be used many times. */
  public ClusterExplainer(UserView userView) {
    this.lookup = new ObjectLookup(userView);
    this.nodeEvaluator = new NodeEvaluator(lookup);
    this.groupExplainer = new GroupExplainer(lookup, nodeEvaluator);
    this.claimDetailsReader = new ClaimDetailsReader(lookup);
    this.queue = Suppliers.memoize(() -> WaitingOrder.of(lookup));
  }

  /** The explanation; empty if there is no such object, or the caller may not read it. */
  public static Optional<ExplainResult> of(UserView userView, ExplainTarget explainTarget) {
    return new ClusterExplainer(userView).of(explainTarget);
  }

  /** The explanation; empty if there is no such object, or the caller may not read it. */
  public Optional<ExplainResult> of(ExplainTarget explainTarget) {
    Optional<ExplainResult> pod =
        explainTarget.mayBe(Kind.POD)
            ? lookup.pod(explainTarget.namespace(), explainTarget.name()).map(this::ofPod)
            : Optional.empty();
    ClaimRef ref = new ClaimRef(explainTarget.namespace(), explainTarget.name());
    return pod.isPresent() || !explainTarget.mayBe(Kind.CLAIM) ? pod : ofClaim(ref);
  }

  private ExplainResult ofPod(PodView pod) {
    PodWait wait = new PodWait(pod.facts(), groupExplainer.of(pod));
    ImmutableList<ClaimDetails> claims =
        pod.facts().claims().stream()
            .flatMap(entry -> wait.story(entry).stream())
            .distinct()
            .collect(toImmutableList());
    return new ExplainResult(
        Kind.POD,
        pod.facts().ref().namespace(),
        pod.facts().ref().name(),
        pod.node(),
        Optional.of(pod.phase()).filter(phase -> !phase.isEmpty()),
        pod.node().isPresent() ? Optional.empty() : Optional.of(pod.scheduling()),
        claims,
        wait.group().map(Explained::details),
        wait.waiting(pod),
        wait.notes());
  }

  private Optional<ExplainResult> ofClaim(ClaimRef ref) {
    Optional<ClaimFacts> claim = lookup.claim(ref);
    return claim.isPresent()
        ? Optional.of(ofClaim(claim.get()))
        : new AllocationDetailsReader(lookup)
            .preparedOnly(ref)
            .map(story -> claim(ref, story, Optional.empty(), ImmutableList.of()));
  }

  private static ExplainResult claim(
      ClaimRef ref,
      ClaimDetails story,
      Optional<WaitDetails> waiting,
      ImmutableList<String> notes) {
    return new ExplainResult(
        Kind.CLAIM,
        ref.namespace(),
        ref.name(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        ImmutableList.of(story),
        Optional.empty(),
        waiting,
        notes);
  }

  private ExplainResult ofClaim(ClaimFacts claim) {
    Optional<ClaimDetails> settled = claimDetailsReader.settled(claim);
    if (settled.isPresent()) {
      return claim(claim.ref(), settled.get(), Optional.empty(), ImmutableList.of());
    }
    if (claim.mode() == ClaimFacts.Mode.IMMEDIATE) {
      Verdict verdict = immediateVerdict(claim);
      return claim(
          claim.ref(),
          claimDetailsReader.of(claim, verdict, immediateProblems(claim)),
          waiting(claim, verdict),
          ImmutableList.of());
    }
    return ofDelayed(claim);
  }

  /** The nodes for a claim that is allocated before a pod uses it. */
  private Verdict immediateVerdict(ClaimFacts claim) {
    return pending(claim)
        .filter(unused -> lookup.clusterView().mayReadInventories())
        .map(nodeEvaluator::anywhere)
        .orElse(Verdict.NOT_EVALUATED);
  }

  private Optional<PendingClaim<GpuRequest>> pending(ClaimFacts claim) {
    return lookup
        .ofClass(claim.className())
        .flatMap(
            found ->
                parameters(found, claim) instanceof DriverParameters.Ready<GpuRequest> ready
                    ? Optional.of(new PendingClaim<>(claim, found, ready.value()))
                    : Optional.empty());
  }

  private ImmutableList<String> immediateProblems(ClaimFacts claim) {
    return lookup
        .ofClass(claim.className())
        .map(found -> PodBlocker.ofParameters("", claim, parameters(found, claim)))
        .orElseGet(() -> Optional.of(PodBlocker.classAbsent("", claim)))
        .map(podBlocker -> podBlocker.reason().sentences(NamespaceAudience.READER_OF_ALL))
        .orElse(ImmutableList.of());
  }

  private DriverParameters<GpuRequest> parameters(ClassFacts ofClass, ClaimFacts claim) {
    return lookup.clusterView().cluster().driver().parameters(ofClass, claim);
  }

  private ExplainResult ofDelayed(ClaimFacts claim) {
    Optional<PodView> pod =
        lookup.using(claim.ref()).filter(found -> !found.facts().deleting()).findFirst();
    PodFacts facts = pod.map(PodView::facts).orElseGet(() -> noPod(claim.ref()));
    PodWait wait = new PodWait(facts, pod.flatMap(groupExplainer::of));
    ClaimDetails story = claimDetailsReader.of(claim, wait.verdict, wait.problems(claim.ref()));
    String note =
        pod.map(user -> "pod %s will use it".formatted(user.facts().ref()))
            .orElse("no pod uses it yet; it is allocated when one does");
    return claim(
        claim.ref(),
        story,
        pod.flatMap(wait::waiting),
        ImmutableList.<String>builder().add(note).addAll(wait.notes()).build());
  }

  /** A hypothetical pod that uses only this claim. */
  private static PodFacts noPod(ClaimRef claim) {
    return new PodFacts(
        new PodRef(claim.namespace(), "", ""),
        false,
        false,
        ImmutableList.of(
            new PodFacts.PodClaim(
                claim.name(), new Resolution.ResolvedTo(claim, /* mustBeOwnedByPod= */ false))));
  }

  private Optional<WaitDetails> waiting(ClaimFacts claim, Verdict verdict) {
    Waiter waiter = WaitingOrder.waiter(lookup, claim);
    return pending(claim)
        .map(
            pending ->
                new WaitDetails(
                    claim.created(),
                    queue.get().place(waiter),
                    verdict.fitting(),
                    Optional.empty(),
                    verdict.limit(),
                    help(
                        verdict,
                        ImmutableList.of(pending),
                        nodeEvaluator.open(),
                        waiter.rank().priority())));
  }

  private Optional<Help> help(
      Verdict verdict,
      ImmutableList<PendingClaim<GpuRequest>> claims,
      ImmutableSet<String> candidates,
      int priority) {
    if (verdict.limit().isPresent()) {
      return Optional.of(nodeEvaluator.quotaHelp(claims));
    }
    Sets.SetView<String> where = Sets.intersection(verdict.nodes(), candidates);
    return where.isEmpty() || !Sets.intersection(where, verdict.fitting()).isEmpty()
        ? Optional.empty()
        : Optional.of(nodeEvaluator.help(verdict, claims, where, priority));
  }

  /** The claims of a pod, and the reasons why they wait. */
  private final class PodWait {
    private final Optional<ContextFacts> context;
    private final Optional<Explained> group;
    private final PendingPod<GpuRequest> pending;
    private final ImmutableList<PodBlocker> obstacles;
    private final Verdict verdict;

    PodWait(PodFacts pod, Optional<Explained> group) {
      this.context = lookup.context(pod.ref());
      this.group = group;
      this.pending = lookup.podClaims().pending(pod);
      this.obstacles =
          pending.blockers().stream()
              .filter(one -> lookup.clusterView().knows(one.reason()))
              .collect(toImmutableList());
      this.verdict =
          pending.mayAllocate() && lookup.clusterView().mayReadInventories()
              ? nodeEvaluator.ofPod(pending, offered().orElse(ImmutableSet.of()))
              : Verdict.NOT_EVALUATED;
    }

    Optional<Explained> group() {
      return group;
    }

    private Optional<ImmutableSet<String>> offered() {
      return context.map(ContextFacts::offeredNodes).filter(nodes -> !nodes.isEmpty());
    }

    Optional<ClaimDetails> story(PodFacts.PodClaim entry) {
      return entry.resolution() instanceof Resolution.ResolvedTo to
          ? Optional.of(story(to.claim()))
          : Optional.empty();
    }

    private ClaimDetails story(ClaimRef ref) {
      Optional<ClaimFacts> claim = lookup.claim(ref);
      if (claim.isEmpty()) {
        return ClaimDetails.of(
            ref, State.WAITING, ImmutableList.of(UnsuitableReason.Kind.MISSING.phrase()));
      }
      return WaitingOrder.isImmediateOfOurs(lookup, claim.get())
          ? claimDetailsReader.of(
              claim.get(), immediateVerdict(claim.get()), immediateProblems(claim.get()))
          : claimDetailsReader.of(claim.get(), verdict, problems(ref));
    }

    ImmutableList<String> problems(ClaimRef ref) {
      return obstacles.stream()
          .filter(one -> one.claim().map(ClaimFacts::ref).equals(Optional.of(ref)))
          .flatMap(one -> one.reason().sentences(NamespaceAudience.READER_OF_ALL).stream())
          .collect(toImmutableList());
    }

    ImmutableList<String> notes() {
      Stream<String> before =
          obstacles.stream()
              .filter(one -> one.reason().kind() == UnsuitableReason.Kind.NOT_YET)
              .map(
                  one ->
                      "the claim for its entry \"%s\" is %s"
                          .formatted(one.podClaim(), UnsuitableReason.Kind.NOT_YET.phrase()));
      Stream<String> ties =
          pending.claims().isEmpty()
              ? Stream.empty()
              : nodeEvaluator.tie(pending).stream()
                  .map(node -> "an allocated claim restricts the pod to " + node);
      return Stream.concat(before, ties).collect(toImmutableList());
    }

    Optional<WaitDetails> waiting(PodView pod) {
      return pending.mayAllocate() || mayBe() ? Optional.of(waits(pod)) : Optional.empty();
    }

    /** Whether all obstacles may be due to missing permissions. */
    private boolean mayBe() {
      return obstacles.isEmpty() && !pending.blockers().isEmpty();
    }

    private WaitDetails waits(PodView pod) {
      Instant since = context.map(ContextFacts::created).orElse(pod.created());
      Optional<Place> place =
          context
              .map(asked -> WaitingOrder.waiter(pod.facts(), asked))
              .flatMap(queue.get()::place)
              .or(() -> queue.get().placeAtGate(pod.facts()));
      return group
          .filter(Explained::together)
          .map(
              found ->
                  new WaitDetails(
                      since, place, ImmutableSet.of(), offered(), found.limit(), found.help()))
          .orElseGet(() -> alone(pod, since, place));
    }

    private WaitDetails alone(PodView pod, Instant since, Optional<Place> place) {
      return new WaitDetails(
          since,
          place,
          verdict.fitting(),
          offered(),
          verdict.limit(),
          help(
              verdict,
              pending.pendingClaims(),
              offered().orElseGet(nodeEvaluator::open),
              pod.facts().rank().priority()));
    }
  }
}
