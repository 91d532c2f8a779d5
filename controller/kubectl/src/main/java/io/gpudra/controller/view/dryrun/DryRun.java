package io.gpudra.controller.view.dryrun;

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
import io.gpudra.controller.dra.events.PodBlocker;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClaimFacts.Mode;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ClassState;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.gate.group.GroupQuorum;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.kube.mapping.PodView;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.manifest.ClaimTemplate;
import io.gpudra.controller.manifest.ManifestSet;
import io.gpudra.controller.manifest.Workload;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.controller.snapshot.ClusterSnapshot;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.dryrun.DryRunResult.Placed;
import io.gpudra.controller.view.dryrun.DryRunResult.Waiting;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.PodRef;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Simulates the controller for objects of files, as if no other pod waited: first Immediate claims,
 * then the pods in the order of the files, then claims that no pod of the files uses, each with a
 * hypothetical pod. Each allocation leaves fewer devices for the following ones.
 */
public final class DryRun {
  private final DryRunState dryRunState;
  private final ManifestSet manifestSet;
  private final ImmutableList<PodView> pods;
  private final DryRunReasons reasons;
  private final QueryDeadline deadline;

  private DryRun(
      DryRunState dryRunState,
      ManifestSet manifestSet,
      ImmutableList<PodView> pods,
      DryRunReasons reasons,
      QueryDeadline deadline) {
    this.dryRunState = dryRunState;
    this.manifestSet = manifestSet;
    this.pods = pods;
    this.reasons = reasons;
    this.deadline = deadline;
  }

  /**
   * Predicts the result for each object, in this order. Stops after ten seconds.
   *
   * @param templates of the cluster, by {@code namespace/name}
   */
  public static ImmutableList<DryRunResult> of(
      UserView userView, ManifestSet manifestSet, ImmutableMap<String, ClaimTemplate> templates) {
    return of(userView, manifestSet, templates, System::nanoTime);
  }

  static ImmutableList<DryRunResult> of(
      UserView userView,
      ManifestSet manifestSet,
      ImmutableMap<String, ClaimTemplate> templates,
      LongSupplier nanoTime) {
    QueryDeadline deadline = QueryDeadline.ofAnAnswer(nanoTime);
    ClusterSnapshot cluster =
        ClusterSnapshot.of(
            new SnapshotOverlay(userView.objects(), manifestSet).reading(),
            userView.cluster().driver().name(),
            userView.now());
    ImmutableMap<String, ClaimTemplate> all =
        ImmutableMap.<String, ClaimTemplate>builder()
            .putAll(templates)
            .putAll(manifestSet.templates())
            .buildKeepingLast();
    ImmutableSet<ClaimUid> seen =
        userView.objects().cluster().claims().stream()
            .map(ClaimFacts::uid)
            .collect(ImmutableSet.toImmutableSet());
    DryRunReasons reasons =
        new DryRunReasons(
            cluster,
            blockingClaim -> seen.contains(blockingClaim.uid()),
            QueryDeadline.ofAPerson(nanoTime));
    return new DryRun(
            new DryRunState(cluster, all),
            manifestSet,
            userView.objects().pods(),
            reasons,
            deadline)
        .play();
  }

  private ImmutableList<DryRunResult> play() {
    ImmutableSet<ClaimRef> used = used();
    return Stream.of(
            manifestSet.claims().values().stream().filter(DryRun::isImmediate).map(this::atOnce),
            units().values().stream().map(this::forecast),
            manifestSet.claims().values().stream()
                .filter(claim -> !isImmediate(claim) && !used.contains(claim.ref()))
                .map(claim -> forecast(Workload.of(claim.ref()))))
        .flatMap(some -> some)
        .collect(ImmutableList.toImmutableList());
  }

  /** Workloads, those of a group together, in the order of the files. */
  private Map<ObjectKey, ImmutableList<Workload>> units() {
    return manifestSet.workloads().stream()
        .collect(
            Collectors.groupingBy(
                DryRun::unit, LinkedHashMap::new, ImmutableList.toImmutableList()));
  }

  private static ObjectKey unit(Workload workload) {
    return isMember(workload)
        ? GatedPod.unit(workload.pattern())
        : new ObjectKey(workload.namespace(), workload.kind() + " " + workload.name());
  }

  private static boolean isMember(Workload workload) {
    return workload.pattern().group().filter(GroupQuorum::isValid).isPresent();
  }

  private DryRunResult forecast(ImmutableList<Workload> unit) {
    return isMember(unit.get(0)) && !deadline.isOver()
        ? new GroupDryRun(dryRunState, unit, others(unit.get(0)), reasons).forecast()
        : forecast(unit.get(0));
  }

  /** The members of the group in the cluster, except those of objects that files replace. */
  private ImmutableList<PodView> others(Workload member) {
    return pods.stream()
        .filter(pod -> !pod.facts().deleting() && pod.facts().group().isPresent())
        .filter(pod -> GatedPod.unit(pod.facts()).equals(unit(member)))
        .filter(pod -> manifestSet.workloads().stream().noneMatch(one -> replaces(one, pod)))
        .collect(ImmutableList.toImmutableList());
  }

  /** A controller names its pods after itself. */
  private static boolean replaces(Workload workload, PodView pod) {
    PodRef ref = pod.facts().ref();
    return ref.namespace().equals(workload.namespace())
        && (workload.kind().equals("Pod")
            ? ref.name().equals(workload.name())
            : ref.name().startsWith(workload.name() + "-"));
  }

  private static boolean isImmediate(ClaimFacts claim) {
    return claim.mode() == Mode.IMMEDIATE;
  }

  private ImmutableSet<ClaimRef> used() {
    return manifestSet.workloads().stream()
        .flatMap(workload -> workload.pattern().claims().stream())
        .flatMap(
            entry ->
                entry.resolution() instanceof Resolution.ResolvedTo to
                    ? Stream.of(to.claim())
                    : Stream.empty())
        .collect(ImmutableSet.toImmutableSet());
  }

  private DryRunResult forecast(Workload workload) {
    return new PodDryRun(dryRunState, workload, reasons, deadline).forecast();
  }

  private DryRunResult atOnce(ClaimFacts draft) {
    ClaimFacts claim = dryRunState.claim(draft.ref()).orElse(draft);
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
    Optional<ClassFacts> found = dryRunState.resourceClass(claim.className());
    if (ClassState.of(found, dryRunState.cluster().driver().name()) != ClassState.OURS) {
      return waits(
          claim,
          found.isEmpty()
              ? sentences(PodBlocker.classAbsent("", claim).reason())
              : ImmutableList.of("its class is not one of this driver"));
    }
    DriverParameters<GpuRequest> parameters =
        dryRunState.cluster().driver().parameters(found.orElseThrow(), claim);
    return parameters instanceof DriverParameters.Ready<GpuRequest> ready
        ? atOnce(new PendingClaim<>(claim, found.orElseThrow(), ready.value()))
        : waits(claim, sentences(((DriverParameters.Refused<GpuRequest>) parameters).reason()));
  }

  private static ImmutableList<String> sentences(UnsuitableReason reason) {
    return reason.sentences(NamespaceAudience.READER_OF_ALL);
  }

  private DryRunResult atOnce(PendingClaim<GpuRequest> pending) {
    ImmutableList<PendingClaim<GpuRequest>> alone = ImmutableList.of(pending);
    Allocation answer = dryRunState.allocate(alone, new NodeChoice.AnyNode(ImmutableSet::of));
    ClaimFacts claim = pending.claim();
    if (answer instanceof Allocation.Held held) {
      return forecast(
          claim,
          ImmutableList.of(
              new Placed(
                  claim.ref().name(),
                  Optional.of(held.node()),
                  ImmutableList.of(held.node()),
                  dryRunState.settled(alone, held))),
          Optional.empty());
    }
    if (answer instanceof Allocation.Limited limited) {
      return waits(claim, sentences(limited.why()));
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
  private SchedulableNodes nodes(ClaimRequest claim) {
    ImmutableSet<String> open =
        dryRunState.reading().inventories().stream()
            .filter(inventory -> NodeFilters.ofChoice(inventory.node(), claim).isEmpty())
            .map(inventory -> inventory.node().name())
            .sorted()
            .collect(ImmutableSet.toImmutableSet());
    return new SchedulableNodes(open, ImmutableSortedMap.of());
  }

  private static DryRunResult waits(ClaimFacts claim, ImmutableList<String> texts) {
    return forecast(
        claim,
        ImmutableList.of(),
        Optional.of(new Waiting(claim.ref().name(), texts, ImmutableMap.of(), Optional.empty())));
  }

  private static DryRunResult forecast(
      ClaimFacts claim, ImmutableList<Placed> placed, Optional<Waiting> waiting) {
    return new DryRunResult(
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
