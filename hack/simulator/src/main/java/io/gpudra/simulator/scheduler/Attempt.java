package io.gpudra.simulator.scheduler;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.actor.Claim;
import io.gpudra.simulator.actor.Edits;
import io.gpudra.simulator.actor.Meta;
import io.gpudra.simulator.actor.Mirror;
import io.gpudra.simulator.actor.NodeSelectors;
import io.gpudra.simulator.actor.Pod;
import io.gpudra.simulator.actor.Profile;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Resource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** One try to place one pod, in the order of the scheduler's extension points. */
final class Attempt {
  private static final int NODE_LIST_LIMIT = 128;
  private static final String NO_PREEMPTION = "Preemption is not helpful for scheduling";

  private final Api api;
  private final View view;
  private final Pod pod;
  private final Random random;
  private final List<Pod.ClaimEntry> entries;
  private final ContextDraft context;
  private final List<Claim> claims = new ArrayList<>();
  private final TreeSet<Integer> unavailable = new TreeSet<>();

  Attempt(Api api, View view, Pod pod, Random random) {
    this.api = api;
    this.view = view;
    this.pod = pod;
    this.random = random;
    this.entries = pod.claims(view.profile());
    this.context = new ContextDraft(pod, view.contexts().get(Meta.key(pod.json())));
  }

  /** What the scheduler knows. */
  record View(
      Profile profile, Mirror nodes, Mirror claims, Mirror contexts, Mirror classes, Mirror pods) {
    Optional<ObjectNode> resourceClass(Claim claim) {
      return classes.get("/" + claim.className());
    }
  }

  Outcome run() {
    if (!preEnqueue()) {
      return new Outcome(Outcome.Kind.GATED, "");
    }
    Optional<String> refused = preFilter();
    if (refused.isPresent()) {
      return refused(refused.get(), "no new claims to deallocate");
    }
    if (context.stale().isPresent() && !claims.isEmpty()) {
      return Outcome.error(
          "PodSchedulingContext object with UID %s is not owned by Pod %s"
              .formatted(context.stale().get(), Meta.key(pod.json())));
    }
    Map<String, Integer> reasons = new TreeMap<>();
    List<String> feasible = filter(reasons);
    if (feasible.isEmpty()) {
      String counted =
          reasons.entrySet().stream()
              .map(reason -> reason.getValue() + " " + reason.getKey())
              .sorted()
              .collect(Collectors.joining(", "));
      return refused(counted, postFilter());
    }
    preScore(feasible);
    return place(feasible.get(random.nextInt(feasible.size())));
  }

  /** No gate is left, and all claims exist, stay, and are the pod's own where they must be. */
  private boolean preEnqueue() {
    if (pod.gated()) {
      return false;
    }
    for (Pod.ClaimEntry entry : entries) {
      if (entry.binding() == Pod.Binding.NOT_NEEDED) {
        continue;
      }
      Optional<Claim> claim =
          view.claims().get(pod.namespace() + "/" + entry.claim()).map(Claim::new);
      if (claim.isEmpty()
          || claim.get().deleting()
          || (entry.generated() && !Meta.controlledBy(claim.get().json(), pod.uid()))) {
        return false;
      }
      claims.add(claim.get());
    }
    return true;
  }

  private Optional<String> preFilter() {
    for (Claim claim : claims) {
      if (!claim.delayed() && !claim.allocated()) {
        return Optional.of("unallocated immediate resourceclaim");
      }
      if (claim.deallocationRequested()) {
        return Optional.of("resourceclaim must be reallocated");
      }
      if (claim.allocated() && !claim.canBeReserved() && !claim.reservedFor(pod.uid())) {
        return Optional.of("resourceclaim in use");
      }
      if (!claim.allocated() && view.resourceClass(claim).isEmpty()) {
        return Optional.of("resource class %s does not exist".formatted(claim.className()));
      }
    }
    return Optional.empty();
  }

  private List<String> filter(Map<String, Integer> reasons) {
    List<String> feasible = new ArrayList<>();
    NodeResources resources = new NodeResources(view.pods());
    for (ObjectNode node : view.nodes().all()) {
      Optional<String> refusal =
          NodeRules.refusal(pod.json(), node)
              .or(() -> resources.refusal(pod.json(), node))
              .or(() -> claimRefusal(node));
      refusal.ifPresentOrElse(
          reason -> reasons.merge(reason, 1, Integer::sum), () -> feasible.add(Meta.name(node)));
    }
    return feasible;
  }

  private Optional<String> claimRefusal(ObjectNode node) {
    boolean elsewhere = false;
    for (int i = 0; i < claims.size(); i++) {
      Claim claim = claims.get(i);
      if (!claim.allocated()) {
        Optional<String> refusal = pendingRefusal(claim, entryName(i), node);
        if (refusal.isPresent()) {
          return refusal;
        }
      } else if (!NodeSelectors.matches(claim.allocation().path("availableOnNodes"), node)) {
        elsewhere = true;
        unavailable.add(i);
      }
    }
    return elsewhere ? Optional.of("resourceclaim not available on the node") : Optional.empty();
  }

  private Optional<String> pendingRefusal(Claim claim, String entry, ObjectNode node) {
    boolean admitted =
        view.resourceClass(claim)
            .map(c -> NodeSelectors.matches(c.path("suitableNodes"), node))
            .orElse(false);
    if (!admitted) {
      return Optional.of("excluded by resource class node filter");
    }
    return context.unsuitable(entry, Meta.name(node))
        ? Optional.of("resourceclaim cannot be allocated for the node (unsuitable)")
        : Optional.empty();
  }

  /** By position among the needed claims, as 1.28-1.30 do: a null name shifts what follows. */
  private String entryName(int claim) {
    return entries.get(claim).entry();
  }

  /** No node is left: gives one claim back that is allocated in the wrong place. */
  private String postFilter() {
    if (claims.isEmpty()) {
      return "no new claims to deallocate";
    }
    List<Integer> candidates = new ArrayList<>(unavailable);
    Collections.shuffle(candidates, random);
    for (int index : candidates) {
      Claim claim = claims.get(index);
      boolean ours = claim.reservedFor().size() == 1 && claim.reservedFor(pod.uid());
      if (claim.delayed() && (ours || claim.reservedFor().isEmpty())) {
        requestDeallocation(claim);
        return "deallocation of ResourceClaim completed";
      }
    }
    return "still not schedulable";
  }

  private void requestDeallocation(Claim claim) {
    if (!context.selectedNode().isEmpty()) {
      // Else the driver would see the selection and allocate there again at once.
      context.select("");
      context.publish(api);
    }
    Claim copy = claim.copy();
    copy.unreserve(pod.uid());
    copy.requestDeallocation();
    api.updateStatus(Resource.CLAIMS, copy.json());
  }

  private void preScore(List<String> feasible) {
    boolean pending = claims.stream().anyMatch(claim -> !claim.allocated());
    if (!pending || feasible.size() == 1 || context.listsAll(feasible)) {
      return;
    }
    List<String> nodes = new ArrayList<>(feasible);
    Collections.shuffle(nodes, random);
    context.potentialNodes(nodes.stream().limit(NODE_LIST_LIMIT).sorted().toList());
  }

  /** Reserve, PreBind, Bind and PostBind; Unreserve when one of the first two ends the try. */
  private Outcome place(String node) {
    Optional<String> waits = reserve(node);
    boolean publishes = waits.isEmpty() && context.dirty();
    if (waits.isPresent() || publishes) {
      unreserve();
      return Outcome.unschedulable(
          waits.map(reason -> noneAvailable("1 " + reason)).orElse("waiting for resource driver"));
    }
    try {
      for (Claim claim : claims) {
        if (!reserveFor(claim)) {
          unreserve();
          return Outcome.error("ResourceClaim %s is gone".formatted(claim.name()));
        }
      }
      api.bind(pod.namespace(), pod.name(), node);
    } catch (ApiError e) {
      unreserve();
      return Outcome.error(e.status().path("message").asText());
    }
    postBind();
    return new Outcome(Outcome.Kind.BOUND, node);
  }

  private Optional<String> reserve(String node) {
    int pending = 0;
    int informed = 0;
    for (int i = 0; i < claims.size(); i++) {
      if (!claims.get(i).allocated()) {
        pending++;
        informed += context.entry(entryName(i)).isMissingNode() ? 0 : 1;
      }
    }
    if (pending == 0) {
      return Optional.empty();
    }
    context.ensurePotential(node);
    boolean asks = pending > 1 && informed < pending;
    if (!asks) {
      context.select(node);
    }
    if (context.dirty()) {
      return Optional.empty();
    }
    return Optional.of(
        "waiting for resource driver to " + (asks ? "provide information" : "allocate resource"));
  }

  private boolean reserveFor(Claim seen) {
    return editReservation(
        seen, claim -> !claim.reservedFor(pod.uid()), claim -> claim.reserve(pod));
  }

  private void unreserve() {
    if (context.dirty()) {
      context.publish(api);
    }
    for (Claim seen : claims) {
      if (seen.allocated()) {
        editReservation(
            seen, claim -> claim.reservedFor(pod.uid()), claim -> claim.unreserve(pod.uid()));
      }
    }
  }

  private boolean editReservation(Claim seen, Predicate<Claim> isDue, Consumer<Claim> edit) {
    return new Edits(api, Resource.CLAIMS)
        .status(
            seen.json(),
            live -> {
              Claim claim = new Claim(live);
              boolean due = isDue.test(claim);
              edit.accept(claim);
              return due;
            });
  }

  private void postBind() {
    if (context.exists()) {
      try {
        api.delete(Resource.CONTEXTS, pod.namespace(), pod.name(), Optional.empty());
      } catch (ApiError e) {
        // One shot, as the real one: what it leaves goes with the pod.
      }
    }
  }

  /** The last word has the preemption, which cannot help with claims. */
  private Outcome refused(String reasons, String claims) {
    String preemption = noneAvailable(view.nodes().all().size() + " " + NO_PREEMPTION);
    return Outcome.unschedulable(
        noneAvailable(reasons) + " " + claims + ", preemption: " + preemption);
  }

  private String noneAvailable(String reasons) {
    return "0/%d nodes are available: %s.".formatted(view.nodes().all().size(), reasons);
  }
}
