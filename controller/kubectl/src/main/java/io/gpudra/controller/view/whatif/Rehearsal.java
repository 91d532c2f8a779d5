package io.gpudra.controller.view.whatif;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.controller.allocation.refusal.NodeFilters;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ClassState;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.dra.telling.PodBlocker;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.manifest.ClaimTemplate;
import io.gpudra.controller.manifest.ManifestSet;
import io.gpudra.controller.manifest.Workload;
import io.gpudra.controller.reading.ClusterSnapshot;
import io.gpudra.controller.view.Sight;
import io.gpudra.controller.view.whatif.Forecast.Placed;
import io.gpudra.controller.view.whatif.Forecast.Waiting;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Simulates the controller for objects of files, as if no other pod waited: first Immediate claims,
 * then the pods in the order of the files, then claims that no pod of the files uses, each with a
 * hypothetical pod. Each allocation takes devices from the following ones.
 */
public final class Rehearsal {
  private final Stage stage;
  private final ManifestSet manifestSet;
  private final Reasons reasons;
  private final Deadline deadline;

  private Rehearsal(Stage stage, ManifestSet manifestSet, Reasons reasons, Deadline deadline) {
    this.stage = stage;
    this.manifestSet = manifestSet;
    this.reasons = reasons;
    this.deadline = deadline;
  }

  /**
   * Predicts the result for each object, in that order. Stops after ten seconds.
   *
   * @param templates of the cluster, by {@code namespace/name}
   */
  public static ImmutableList<Forecast> of(
      Sight sight, ManifestSet manifestSet, ImmutableMap<String, ClaimTemplate> templates) {
    return of(sight, manifestSet, templates, System::nanoTime);
  }

  static ImmutableList<Forecast> of(
      Sight sight,
      ManifestSet manifestSet,
      ImmutableMap<String, ClaimTemplate> templates,
      LongSupplier nanoTime) {
    Deadline deadline = Deadline.ofAnAnswer(nanoTime);
    ClusterSnapshot cluster =
        ClusterSnapshot.of(
            new Staging(sight.objects(), manifestSet).reading(),
            sight.cluster().driver().name(),
            sight.now());
    ImmutableMap<String, ClaimTemplate> all =
        ImmutableMap.<String, ClaimTemplate>builder()
            .putAll(templates)
            .putAll(manifestSet.templates())
            .buildKeepingLast();
    ImmutableSet<ClaimUid> seen =
        sight.objects().cluster().claims().stream()
            .map(ClaimFacts::uid)
            .collect(ImmutableSet.toImmutableSet());
    Reasons reasons =
        new Reasons(cluster, blocker -> seen.contains(blocker.uid()), Deadline.ofAPerson(nanoTime));
    return new Rehearsal(new Stage(cluster, all), manifestSet, reasons, deadline).play();
  }

  private ImmutableList<Forecast> play() {
    ImmutableSet<ClaimRef> used = used();
    return Stream.of(
            manifestSet.claims().values().stream().filter(Rehearsal::isImmediate).map(this::atOnce),
            manifestSet.workloads().stream().map(this::forecast),
            manifestSet.claims().values().stream()
                .filter(claim -> !isImmediate(claim) && !used.contains(claim.ref()))
                .map(claim -> forecast(Workload.of(claim.ref()))))
        .flatMap(some -> some)
        .collect(ImmutableList.toImmutableList());
  }

  private static boolean isImmediate(ClaimFacts claim) {
    return claim.mode() == Mode.IMMEDIATE;
  }

  private ImmutableSet<ClaimRef> used() {
    return manifestSet.workloads().stream()
        .flatMap(workload -> workload.pattern().claims().stream())
        .flatMap(
            entry ->
                entry.resolution() instanceof Resolution.To to
                    ? Stream.of(to.claim())
                    : Stream.empty())
        .collect(ImmutableSet.toImmutableSet());
  }

  private Forecast forecast(Workload workload) {
    return new PodTrial(stage, workload, reasons, deadline).forecast();
  }

  private Forecast atOnce(ClaimFacts draft) {
    ClaimFacts claim = stage.claim(draft.ref()).orElse(draft);
    if (deadline.isOver()) {
      return forecast(claim, ImmutableList.of(), Optional.empty());
    }
    Optional<String> node =
        claim.allocation().flatMap(ClaimFacts.Granted::ours).flatMap(handle -> handle.node());
    if (claim.allocation().isPresent()) {
      return forecast(
          claim,
          ImmutableList.of(
              new Placed(claim.ref().name(), node, ImmutableList.of(), ImmutableMap.of())),
          Optional.empty());
    }
    Optional<ClassFacts> found = stage.resourceClass(claim.className());
    if (ClassState.of(found, stage.cluster().driver().name()) != ClassState.OURS) {
      return waits(
          claim,
          found.isEmpty()
              ? PodBlocker.classAbsent("", claim).texts()
              : ImmutableList.of("its class is not one of this driver"));
    }
    DriverParameters<GpuRequest> parameters =
        stage.cluster().driver().parameters(found.orElseThrow(), claim);
    return parameters instanceof DriverParameters.Ready<GpuRequest> ready
        ? atOnce(new PendingClaim<>(claim, found.orElseThrow(), ready.value()))
        : waits(
            claim,
            PodBlocker.ofParameters("", claim, parameters)
                .map(PodBlocker::texts)
                .orElse(ImmutableList.of()));
  }

  private Forecast atOnce(PendingClaim<GpuRequest> pending) {
    ImmutableList<PendingClaim<GpuRequest>> alone = ImmutableList.of(pending);
    Allocation answer = stage.allocate(alone, new NodeChoice.Anywhere(ImmutableSet::of));
    ClaimFacts claim = pending.claim();
    if (answer instanceof Allocation.Held held) {
      return forecast(
          claim,
          ImmutableList.of(
              new Placed(
                  claim.ref().name(),
                  Optional.of(held.node()),
                  ImmutableList.of(held.node()),
                  stage.settled(alone, held))),
          Optional.empty());
    }
    return forecast(
        claim,
        ImmutableList.of(),
        Optional.of(
            reasons.of(
                claim.ref().name(),
                alone,
                ((Allocation.Refused) answer).why(),
                nodes(GpuDriver.request(alone).claims().get(0)))));
  }

  /** Nodes on which an Immediate claim may be allocated. */
  private Nodes nodes(ClaimRequest claim) {
    ImmutableSet<String> open =
        stage.reading().inventories().stream()
            .filter(inventory -> NodeFilters.ofChoice(inventory.node(), claim).isEmpty())
            .map(inventory -> inventory.node().name())
            .sorted()
            .collect(ImmutableSet.toImmutableSet());
    return new Nodes(open, ImmutableSortedMap.of());
  }

  private static Forecast waits(ClaimFacts claim, ImmutableList<String> texts) {
    return forecast(
        claim,
        ImmutableList.of(),
        Optional.of(new Waiting(claim.ref().name(), texts, ImmutableMap.of(), Optional.empty())));
  }

  private static Forecast forecast(
      ClaimFacts claim, ImmutableList<Placed> placed, Optional<Waiting> waiting) {
    return new Forecast(
        "ResourceClaim",
        claim.ref().namespace(),
        claim.ref().name(),
        1,
        placed,
        waiting,
        placed.isEmpty() && waiting.isEmpty() ? 1 : 0,
        ImmutableList.of());
  }
}
