package io.gpudra.controller.view.explain;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ContextFacts;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.dra.scheduling.PendingPod;
import io.gpudra.controller.dra.telling.PodBlocker;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.view.Sight;
import io.gpudra.controller.view.explain.Asked.Kind;
import io.gpudra.controller.view.explain.ClaimStory.State;
import io.gpudra.controller.view.explain.Judge.Verdict;
import io.gpudra.controller.view.explain.Waiting.Help;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Explains pods and claims of one reading. */
public final class Explain {
  private final Lookup lookup;
  private final Judge judge;
  private final Stories stories;
  private final Immediate immediate;
  private final Supplier<Queue> queue;

  /** For one reading; may be used many times. */
  public Explain(Sight sight) {
    this.lookup = new Lookup(sight);
    this.judge = new Judge(lookup);
    this.stories = new Stories(lookup);
    this.immediate = new Immediate(lookup, judge);
    this.queue = Suppliers.memoize(() -> Queue.of(lookup));
  }

  /** Empty if there is no such object, or the caller may not read it. */
  public static Optional<Explained> of(Sight sight, Asked asked) {
    return new Explain(sight).of(asked);
  }

  /** Empty if there is no such object, or the caller may not read it. */
  public Optional<Explained> of(Asked asked) {
    Optional<Explained> pod =
        asked.mayBe(Kind.POD)
            ? lookup.pod(asked.namespace(), asked.name()).map(this::ofPod)
            : Optional.empty();
    ClaimRef ref = new ClaimRef(asked.namespace(), asked.name());
    return pod.isPresent() || !asked.mayBe(Kind.CLAIM) ? pod : ofClaim(ref);
  }

  private Explained ofPod(PodView pod) {
    PodWait wait = new PodWait(pod.facts(), lookup.context(pod.facts().ref()));
    ImmutableList<ClaimStory> claims =
        pod.facts().claims().stream()
            .flatMap(entry -> wait.story(entry).stream())
            .distinct()
            .collect(toImmutableList());
    return new Explained(
        Kind.POD,
        pod.facts().ref().namespace(),
        pod.facts().ref().name(),
        pod.node(),
        Optional.of(pod.phase()).filter(phase -> !phase.isEmpty()),
        pod.node().isPresent() ? Optional.empty() : Optional.of(pod.scheduling()),
        claims,
        wait.waiting(pod),
        wait.notes());
  }

  private Optional<Explained> ofClaim(ClaimRef ref) {
    Optional<ClaimFacts> claim = lookup.claim(ref);
    return claim.isPresent()
        ? Optional.of(ofClaim(claim.get()))
        : new Grants(lookup)
            .left(ref)
            .map(story -> claim(ref, story, Optional.empty(), ImmutableList.of()));
  }

  private static Explained claim(
      ClaimRef ref, ClaimStory story, Optional<Waiting> waiting, ImmutableList<String> notes) {
    return new Explained(
        Kind.CLAIM,
        ref.namespace(),
        ref.name(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        ImmutableList.of(story),
        waiting,
        notes);
  }

  private Explained ofClaim(ClaimFacts claim) {
    Optional<ClaimStory> settled = stories.settled(claim);
    if (settled.isPresent()) {
      return claim(claim.ref(), settled.get(), Optional.empty(), ImmutableList.of());
    }
    if (claim.mode() == ClaimFacts.Mode.IMMEDIATE) {
      Verdict verdict = immediate.verdict(claim);
      return claim(
          claim.ref(),
          stories.of(claim, verdict, immediate.problems(claim)),
          waiting(claim, verdict),
          ImmutableList.of());
    }
    return ofDelayed(claim);
  }

  private Explained ofDelayed(ClaimFacts claim) {
    Optional<PodView> pod =
        lookup.using(claim.ref()).filter(found -> !found.facts().deleting()).findFirst();
    PodFacts facts = pod.map(PodView::facts).orElseGet(() -> nobody(claim.ref()));
    PodWait wait = new PodWait(facts, lookup.context(facts.ref()));
    ClaimStory story = stories.of(claim, wait.verdict, wait.problems(claim.ref()));
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
  private static PodFacts nobody(ClaimRef claim) {
    return new PodFacts(
        new PodRef(claim.namespace(), "", ""),
        false,
        false,
        ImmutableList.of(
            new PodFacts.PodClaim(
                claim.name(), new Resolution.To(claim, /* mustBeOwnedByPod= */ false))));
  }

  private Optional<Waiting> waiting(ClaimFacts claim, Verdict verdict) {
    return immediate
        .pending(claim)
        .map(
            pending ->
                new Waiting(
                    claim.created(),
                    queue.get().place(Queue.waiter(claim)),
                    verdict.fitting(),
                    Optional.empty(),
                    help(verdict, ImmutableList.of(pending), judge.open())));
  }

  private Optional<Help> help(
      Verdict verdict,
      ImmutableList<PendingClaim<GpuRequest>> claims,
      ImmutableSet<String> candidates) {
    Sets.SetView<String> where = Sets.intersection(verdict.nodes(), candidates);
    return where.isEmpty() || !Sets.intersection(where, verdict.fitting()).isEmpty()
        ? Optional.empty()
        : Optional.of(judge.help(verdict, claims, where));
  }

  /** The claims of a pod and why they wait. */
  private final class PodWait {
    private final Optional<ContextFacts> context;
    private final PendingPod<GpuRequest> pending;
    private final ImmutableList<PodBlocker> obstacles;
    private final Verdict verdict;

    PodWait(PodFacts pod, Optional<ContextFacts> context) {
      this.context = context;
      this.pending = lookup.podClaims().pending(pod);
      this.obstacles =
          pending.obstacles().stream().filter(lookup.sight()::knows).collect(toImmutableList());
      this.verdict =
          pending.mayAllocate() && lookup.sight().seesInventories()
              ? judge.ofPod(pending, offered().orElse(ImmutableSet.of()))
              : Verdict.NOT_EVALUATED;
    }

    private Optional<ImmutableSet<String>> offered() {
      return context.map(ContextFacts::offeredNodes).filter(nodes -> !nodes.isEmpty());
    }

    Optional<ClaimStory> story(PodFacts.PodClaim entry) {
      return entry.resolution() instanceof Resolution.To to
          ? Optional.of(story(to.claim()))
          : Optional.empty();
    }

    private ClaimStory story(ClaimRef ref) {
      Optional<ClaimFacts> claim = lookup.claim(ref);
      if (claim.isEmpty()) {
        return ClaimStory.of(ref, State.WAITING, ImmutableList.of("not found"));
      }
      return Queue.isImmediateOfOurs(lookup, claim.get())
          ? stories.of(claim.get(), immediate.verdict(claim.get()), immediate.problems(claim.get()))
          : stories.of(claim.get(), verdict, problems(ref));
    }

    ImmutableList<String> problems(ClaimRef ref) {
      return obstacles.stream()
          .filter(one -> one.claim().map(ClaimFacts::ref).equals(Optional.of(ref)))
          .flatMap(Obstacles::texts)
          .collect(toImmutableList());
    }

    ImmutableList<String> notes() {
      Stream<String> before =
          obstacles.stream().filter(one -> one.claim().isEmpty()).flatMap(Obstacles::texts);
      Stream<String> ties =
          pending.claims().isEmpty()
              ? Stream.empty()
              : judge.tie(pending).stream()
                  .map(node -> "an allocated claim restricts the pod to " + node);
      return Stream.concat(before, ties).collect(toImmutableList());
    }

    Optional<Waiting> waiting(PodView pod) {
      return pending.mayAllocate() || mayBe() ? Optional.of(waits(pod)) : Optional.empty();
    }

    /** Whether all obstacles may be due to missing permissions. */
    private boolean mayBe() {
      return obstacles.isEmpty() && !pending.obstacles().isEmpty();
    }

    private Waiting waits(PodView pod) {
      return new Waiting(
          context.map(ContextFacts::created).orElse(pod.created()),
          context.map(Queue::waiter).flatMap(queue.get()::place),
          verdict.fitting(),
          offered(),
          help(verdict, pending.pendingClaims(), offered().orElseGet(judge::open)));
    }
  }
}
