package io.gpudra.controller.allocation;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.placement.Placement;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DevicePredicate;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.PodRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.allocation.testing.FixedPredicate.Among;
import io.gpudra.controller.allocation.testing.RequestFixture;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.model.node.PreparedClaim;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;

/** Small worlds for tests: nodes with numbered GPUs, claims named after their UIDs. */
public final class Samples {

  static final NamespaceAudience READER = new NamespaceAudience("team-a");
  static final HoldOwner OWNER = new HoldOwner("pass");
  static final HoldOwner SOMEBODY_ELSE = new HoldOwner("other pass");
  static final GrantAudit STAMP = new GrantAudit(3, Instant.parse("2026-11-21T08:00:00Z"));

  private Samples() {}

  static GpuModel model(String name, int memoryGi) {
    return GpuModels.model(name, memoryGi);
  }

  static Gpu gpu(String node, int index, GpuModel model) {
    return GpuModels.gpu(uuid(node, index), index, model).with(MigState.of(Gpu.MigMode.DISABLED));
  }

  static Gpu onNumaNode(Gpu gpu, int numaNode) {
    return gpu.toBuilder().numaNode(numaNode).build();
  }

  static String uuid(String node, int index) {
    return "GPU-" + node + "-" + index;
  }

  static Inventory inventory(String node, int gpus) {
    return NodeFixture.node(node)
        .gpus(gpus, model("A100", 40))
        .each(gpu -> gpu.with(MigState.of(Gpu.MigMode.DISABLED)))
        .format(1)
        .inventory();
  }

  static Inventory inventory(String node, ImmutableList<Gpu> gpus) {
    return NodeFixture.node(node).gpus(gpus).format(1).inventory();
  }

  static Inventory with(Inventory inventory, PreparedClaim... prepared) {
    return NodeFixture.like(inventory).prepared(prepared).inventory();
  }

  static Inventory with(Inventory inventory, NodeState node) {
    return NodeFixture.like(inventory).state(node).inventory();
  }

  static PreparedClaim prepared(String claim, String node, int... devices) {
    return prepared(uid(claim), ref(claim), node, devices);
  }

  static PreparedClaim prepared(ClaimUid uid, ClaimRef ref, String node, int... devices) {
    return GrantFixture.preparedWhole(
        uid, ref, Arrays.stream(devices).mapToObj(i -> uuid(node, i)).toArray(String[]::new));
  }

  static ClaimUid uid(String claim) {
    return new ClaimUid("uid-of-" + claim);
  }

  static ClaimRef ref(String claim) {
    return new ClaimRef("team-a", claim);
  }

  static ClaimRequest wants(String claim, int count) {
    return request(claim, count, Among.EVERY, AllocationPolicy.PACK);
  }

  static ClaimRequest wants(String claim, int count, long devices, String text) {
    return request(claim, count, new Among(devices, text), AllocationPolicy.PACK);
  }

  static ClaimRequest of(String namespace, ClaimRequest claim) {
    return RequestFixture.like(claim).namespace(namespace).build();
  }

  static ClaimRequest mayStillBePrepared(ClaimRequest claim) {
    return RequestFixture.like(claim).mayStillBePrepared().build();
  }

  static ClaimRequest request(
      String claim, int count, DevicePredicate devicePredicate, AllocationPolicy policy) {
    return new RequestFixture(ref(claim), plain(count, devicePredicate))
        .policy(policy)
        .generation(7)
        .build();
  }

  static ImmutableList<RequestAlternative> plain(int count, DevicePredicate devicePredicate) {
    return ImmutableList.of(
        new RequestAlternative(
            ImmutableList.of(DeviceSubRequest.whole(count, devicePredicate)),
            DeviceConstraints.ANYHOW));
  }

  static PodRequest pod(ClaimRequest... claims) {
    return new PodRequest(ImmutableList.copyOf(claims));
  }

  static Grant grant(String claim, String node, int... devices) {
    return new Grant(
        uid(claim),
        node,
        STAMP.epoch(),
        OptionalLong.of(7),
        STAMP.at(),
        Arrays.stream(devices)
            .mapToObj(i -> new GrantedDevice("gpu-" + i, uuid(node, i)))
            .collect(ImmutableList.toImmutableList()));
  }

  /** Ledgers that know nothing and tell of everything. */
  static Ledgers telling(LedgerListener listener) {
    Ledgers ledgers = new Ledgers();
    ledgers.setListener(listener);
    return ledgers;
  }

  /** Of one node. */
  static Optional<Placement.DoesNotFit> refusal(
      Ledgers ledgers, String node, PodRequest request, SearchBudget budget) {
    return Optional.ofNullable(ledgers.refusals(ImmutableSet.of(node), request, budget).get(node));
  }

  /** The API shows that the claim has these devices. */
  static void hold(Ledgers ledgers, String claim, String node, int... devices) {
    ledgers.observe(ref(claim), uid(claim), Optional.of(grant(claim, node, devices)));
  }

  static ImmutableList<String> uuids(Placement placement, String claim) {
    return uuids(requireNonNull(((Placement.Fits) placement).devices().get(uid(claim))));
  }

  static ImmutableList<String> uuids(CommitResult commitResult, String claim) {
    return uuids(grant(commitResult, claim).devices());
  }

  private static ImmutableList<String> uuids(ImmutableList<GrantedDevice> devices) {
    return devices.stream().map(GrantedDevice::uuid).collect(ImmutableList.toImmutableList());
  }

  static Grant grant(CommitResult commitResult, String claim) {
    return requireNonNull(((CommitResult.Committed) commitResult).grants().get(uid(claim)));
  }

  static UnsuitableReason reason(Placement placement, String claim) {
    return requireNonNull(((Placement.DoesNotFit) placement).reasons().get(uid(claim)));
  }

  static UnsuitableReason reason(CommitResult commitResult, String node, String claim) {
    if (commitResult instanceof CommitResult.NoNode none) {
      return requireNonNull(none.reasons().get(node));
    }
    return reason(requireNonNull(((CommitResult.Refused) commitResult).reasons().get(node)), claim);
  }
}
