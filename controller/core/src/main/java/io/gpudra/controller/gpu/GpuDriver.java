package io.gpudra.controller.gpu;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.CommitResult;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.placement.Placement;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.ClaimRequest.Parent;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestSize;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.dra.Driver;
import io.gpudra.controller.dra.Driver.Allocation;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.NodeChoice;
import io.gpudra.controller.dra.NodeSuitability;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.PodUse;
import io.gpudra.controller.dra.facts.ResourceHandle;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.handle.DecodedHandle;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.HoldOwner;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** Allocates GPUs and parts of them: turns parameters into requests, grants and handles. */
public final class GpuDriver implements Driver<GpuRequest> {

  /**
   * The capacity is read for each event about a claim that no device can serve, and computed once
   * in this time.
   */
  private static final Duration OFFERED_FOR = Duration.ofSeconds(10);

  private final String name;
  private final ParametersObjects objects;
  private final ParametersResolver parametersResolver;
  private final Ledgers ledgers;
  private final Supplier<GrantAudit> stamps;
  private final GpuAlerts alerts;
  private final Supplier<ClusterCapacity> offered;

  /**
   * A driver that knows no claim yet.
   *
   * @param name the driver name in classes and handles
   * @param ledgers fed with inventories by the caller, with claims by this driver
   * @param stamps the epoch and time for a grant
   */
  public GpuDriver(
      String name,
      ParametersObjects objects,
      Ledgers ledgers,
      Supplier<GrantAudit> stamps,
      GpuAlerts alerts) {
    this(name, objects, ledgers, stamps, alerts, MemoryBudget.ALL);
  }

  private GpuDriver(
      String name,
      ParametersObjects objects,
      Ledgers ledgers,
      Supplier<GrantAudit> stamps,
      GpuAlerts alerts,
      int share) {
    this.name = name;
    this.objects = objects;
    this.parametersResolver =
        new ParametersResolver(name, objects, new ConditionCompiler(name, alerts, share), share);
    this.ledgers = ledgers;
    this.stamps = stamps;
    this.alerts = alerts;
    this.offered = Suppliers.memoizeWithExpiration(this::offered, OFFERED_FOR);
  }

  /**
   * A driver with small caches of its own, for readers other than the allocation: they evict no
   * entry that a pod waits for.
   */
  public GpuDriver withSeparateCache() {
    return new GpuDriver(name, objects, ledgers, stamps, alerts, MemoryBudget.SECONDARY);
  }

  private ClusterCapacity offered() {
    return ClusterCapacity.of(
        name,
        ledgers.snapshot().stream()
            .map(NodeLedger::inventory)
            .collect(ImmutableList.toImmutableList()));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public DriverParameters<GpuRequest> parameters(ClassFacts resourceClass, ClaimFacts claim) {
    return parametersResolver.read(resourceClass, claim);
  }

  @Override
  public long bytes(GpuRequest parameters) {
    return RequestSize.of(parameters.alternatives(), parameters.tolerations());
  }

  /** All problems of the object, regardless of its class, path by path. */
  public ImmutableList<String> problems(GpuClaimParameters object) {
    return parametersResolver.problems(object.specOrDefault());
  }

  /** All problems of the object, path by path. */
  public ImmutableList<String> problems(GpuClassParameters object) {
    return parametersResolver.problems(object.specOrDefault());
  }

  @Override
  public ImmutableMap<ClaimUid, ImmutableList<String>> problems(
      ImmutableList<PendingClaim<GpuRequest>> claimsOfOnePod) {
    return new PodRules(name, claimsOfOnePod).problems();
  }

  @Override
  public ImmutableList<String> unsatisfiable(ClassFacts resourceClass, ClaimFacts claim) {
    return parametersResolver.unsatisfiable(resourceClass, claim, offered.get());
  }

  @Override
  public NodeSuitability suitability(
      ImmutableList<PendingClaim<GpuRequest>> claimsOfOnePod, ImmutableSet<String> nodes) {
    PodRequest request = request(claimsOfOnePod);
    return byClaim(request, ledgers.refusals(nodes, request, new SearchBudget()));
  }

  @Override
  public Allocation allocate(
      ImmutableList<PendingClaim<GpuRequest>> claimsOfOnePod, NodeChoice where, HoldOwner owner) {
    PodRequest request = request(claimsOfOnePod);
    CommitResult commitResult = commit(request, where, owner);
    if (commitResult instanceof CommitResult.Committed committed) {
      // The handles were found writable before their devices were held.
      return new Allocation.Held(committed.node(), handles(claimsOfOnePod, committed.grants()));
    }
    if (commitResult instanceof CommitResult.NoNode none) {
      ClaimUid only = request.claims().get(0).uid();
      return new Allocation.Refused(
          new NodeSuitability(ImmutableMap.of(only, none.reasons())), /* alike= */ true);
    }
    if (commitResult instanceof CommitResult.Changed) {
      alerts.searchLost(request.claims().get(0).ref());
      return new Allocation.Changed();
    }
    return commitResult instanceof CommitResult.Limited limited
        ? new Allocation.Limited(limited.why(), limited.limits())
        : new Allocation.Refused(byClaim(request, ((CommitResult.Refused) commitResult).reasons()));
  }

  private CommitResult commit(PodRequest request, NodeChoice where, HoldOwner owner) {
    GrantAudit grantAudit = stamps.get();
    if (where instanceof NodeChoice.OneNode oneNode) {
      return ledgers.commit(oneNode.node(), request, owner, grantAudit);
    }
    if (where instanceof NodeChoice.Fitting fitting) {
      PodRequest demanding = request.fitting(fitting.demand());
      return ledgers.commitBestBut(fitting.but(), fitting.nodes(), demanding, owner, grantAudit);
    }
    return where instanceof NodeChoice.AnyOf some
        ? ledgers.commitBest(request, some.nodes(), owner, grantAudit)
        : ledgers.commitBestBut(((NodeChoice.AnyNode) where).but(), request, owner, grantAudit);
  }

  /** The common request of the claims of one pod to a node. */
  public static PodRequest request(ImmutableList<PendingClaim<GpuRequest>> claims) {
    return new PodRequest(
        claims.stream().map(GpuDriver::request).collect(ImmutableList.toImmutableList()),
        claims.get(0).pod().rank());
  }

  private static ClaimRequest request(PendingClaim<GpuRequest> pending) {
    GpuRequest wanted = pending.parameters();
    return new ClaimRequest(
        pending.claim().uid(),
        pending.claim().ref(),
        wanted.alternatives(),
        parent(pending),
        wanted.policy(),
        wanted.tolerations(),
        wanted.generation(),
        pending.resourceClass().suitableNodes(),
        pending.claim().mayStillBePrepared(),
        /* demand= */ Optional.empty());
  }

  private static Optional<Parent> parent(PendingClaim<GpuRequest> pending) {
    return pending
        .parameters()
        .insideEntry()
        .flatMap(pending.pod()::entry)
        .flatMap(PodUse.Entry::claim)
        .map(parent -> new Parent(parent.uid(), parent.ref()));
  }

  private NodeSuitability byClaim(
      PodRequest request, ImmutableMap<String, Placement.DoesNotFit> refusals) {
    return new NodeSuitability(
        request.claims().stream()
            .map(ClaimRequest::uid)
            .collect(ImmutableMap.toImmutableMap(uid -> uid, uid -> reasons(uid, refusals))));
  }

  private ImmutableMap<String, UnsuitableReason> reasons(
      ClaimUid claim, ImmutableMap<String, Placement.DoesNotFit> refusals) {
    ImmutableMap.Builder<String, UnsuitableReason> reasons = ImmutableMap.builder();
    refusals.forEach(
        (node, no) -> {
          UnsuitableReason reason = no.reasons().get(claim);
          if (reason != null) {
            reasons.put(node, ledgers.kept(node, reason));
          }
        });
    return reasons.buildOrThrow();
  }

  /** The handles with these grants. */
  public static ImmutableMap<ClaimUid, ResourceHandle> handles(
      ImmutableList<PendingClaim<GpuRequest>> claims, ImmutableMap<ClaimUid, Grant> grants) {
    ImmutableMap.Builder<ClaimUid, ResourceHandle> handles = ImmutableMap.builder();
    for (PendingClaim<GpuRequest> pending : claims) {
      Grant grant = requireNonNull(grants.get(pending.claim().uid()));
      String data = HandleCodec.encode(grant);
      boolean shareable = pending.parameters().shareable();
      handles.put(grant.claim(), new ResourceHandle(data, Optional.of(grant.node()), shareable));
    }
    return handles.buildOrThrow();
  }

  @Override
  public void granted(ClaimUid claim, HoldOwner owner) {
    ledgers.granted(claim, owner);
  }

  @Override
  public void release(ClaimUid claim, HoldOwner owner) {
    ledgers.release(claim, owner);
  }

  @Override
  public boolean isSurplus(ClaimUid claim) {
    return ledgers.isSurplus(claim);
  }

  @Override
  public boolean mayStillBePrepared(ClaimUid claim) {
    return ledgers.mayStillBePrepared(claim);
  }

  @Override
  public void observe(ClaimRef ref, ClaimUid claim, Optional<ResourceHandle> ours) {
    if (ours.isEmpty()) {
      ledgers.observe(ref, claim, Optional.empty());
    } else {
      observe(ref, claim, ours.get());
    }
  }

  private void observe(ClaimRef ref, ClaimUid claim, ResourceHandle handle) {
    DecodedHandle decoded = HandleCodec.decode(handle.data());
    if (decoded instanceof DecodedHandle.Decoded withGrant) {
      Grant grant = withGrant.grant();
      ledgers.observe(ref, claim, Optional.of(grant));
      if (!grant.claim().equals(claim)) {
        alerts.strayHandle(ref, claim, grant);
      }
    } else {
      unreadable(ref, claim, handle, ((DecodedHandle.Unreadable) decoded).problem());
    }
  }

  private void unreadable(ClaimRef ref, ClaimUid claim, ResourceHandle handle, String problem) {
    if (handle.node().isPresent()) {
      ledgers.observeUnreadable(
          claim, handle.node().get(), new NodeLedger.Unreadable(ref, problem));
    } else {
      ledgers.observe(ref, claim, Optional.empty());
    }
    alerts.unreadableHandle(ref, claim, handle.node(), problem);
  }

  @Override
  public void gone(ClaimUid claim) {
    ledgers.gone(claim);
  }
}
