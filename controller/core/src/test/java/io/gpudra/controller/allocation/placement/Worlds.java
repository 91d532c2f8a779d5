package io.gpudra.controller.allocation.placement;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.gpudra.crds.testing.GpuModels.A100;
import static io.gpudra.crds.testing.GpuModels.cuttable;
import static io.gpudra.crds.testing.GpuModels.model;
import static io.gpudra.crds.testing.GpuModels.profile;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.ledger.NodeLedger;
import io.gpudra.controller.allocation.request.AllocationPolicy;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceKind;
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
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.HoldOwner;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.node.DeviceToleration;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.GrantFixture;
import io.gpudra.crds.testing.NodeFixture;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/** Nodes of GPUs that can be cut and shared, and claims that want parts of them. */
public final class Worlds {
  /** The same of an architecture that aligns compute instances. */
  static final GpuModel H100 =
      GpuModels.cut(GpuModels.model("H100", "Nvidia", "Hopper", "9.0", 40), A100.migProfiles());

  /** Cut like an A30. */
  public static final GpuModel A30 =
      model(
          "A30",
          20,
          profile("1g", 1, 1, 4, 0, 1, 2, 3),
          profile("1g+me", 1, 1, 1, 0, 1, 2, 3),
          profile("2g", 2, 2, 2, 0, 2),
          profile("3g", 2, 3, 1, 0),
          profile("4g", 4, 4, 1, 0));

  /** All of them connected. */
  static final DeviceConstraints NVLINK =
      new DeviceConstraints(
          Optional.of(new DeviceConstraints.Linked(DeviceConstraints.Connection.NVLINK, true)),
          ImmutableSet.of());

  private Worlds() {}

  public static Gpu gpu(int index, GpuModel model, MigState mig) {
    return GpuModels.gpu("GPU-" + index, index, model).toBuilder()
        .pcieRoot("pci0000:0" + index / 2)
        .numaNode(index / 4)
        .mig(mig)
        .build();
  }

  static MigState.Device found(String profile, int start, boolean foreign) {
    return GrantFixture.migDevice(
        "MIG-" + profile + start, GpuModels.slice(A100, profile, start), foreign);
  }

  static NodeLedger a100s(int count) {
    return node(
        IntStream.range(0, count)
            .mapToObj(i -> gpu(i, A100, cuttable()))
            .collect(toImmutableList()));
  }

  static NodeLedger node(ImmutableList<Gpu> gpus, GpuLink... links) {
    return NodeLedger.of(inventory("node", gpus, links));
  }

  static Inventory inventory(String node, ImmutableList<Gpu> gpus, GpuLink... links) {
    return NodeFixture.node(node).driver("", "").gpus(gpus).links(links).inventory();
  }

  static GpuLink link(String... uuids) {
    return new GpuLink(ImmutableSet.copyOf(uuids), GpuLink.Type.NVLINK, 4);
  }

  /** Each GPU is linked to all but two others: of 60 there are 3²⁰ ways to be connected. */
  public static Inventory linkedInTooManyWays(int gpus) {
    GpuLink[] links =
        IntStream.range(0, gpus * gpus)
            .filter(pair -> pair / gpus / 3 < pair % gpus / 3)
            .mapToObj(pair -> link("GPU-" + pair / gpus, "GPU-" + pair % gpus))
            .toArray(GpuLink[]::new);
    return inventory("node", a100s(gpus).inventory().gpus(), links);
  }

  /** With everything that the batch is granted. */
  static NodeLedger with(NodeLedger ledger, PodRequest request, Placement placement) {
    NodeLedger next = ledger;
    for (ClaimRequest claim : request.claims()) {
      ImmutableList<GrantedDevice> devices =
          Objects.requireNonNull(((Placement.Fits) placement).devices().get(claim.uid()));
      next =
          next.committed(
              claim.ref(), GrantFixture.grant(claim.uid(), "node", devices), new HoldOwner("test"));
    }
    return next;
  }

  static DeviceSubRequest wish(int count, DeviceKind kind) {
    return wish(count, kind, Among.EVERY);
  }

  static DeviceSubRequest wish(int count, DeviceKind kind, DevicePredicate predicate) {
    return new DeviceSubRequest(
        Optional.empty(), count, false, kind, predicate, SharingStrategy.NONE);
  }

  /** Whole ones among these. */
  static DeviceSubRequest whole(int count, long gpus) {
    return DeviceSubRequest.whole(count, new Among(gpus));
  }

  static DeviceSubRequest mig(String profile, int count) {
    return wish(count, new DeviceKind.Mig(Optional.of(profile)));
  }

  static DeviceSubRequest share(int gib, int count) {
    return wish(count, new DeviceKind.Share(gib * GpuModels.GIB, 0, 100));
  }

  static DeviceSubRequest whole(int count) {
    return wish(count, new DeviceKind.Whole());
  }

  static RequestAlternative alternative(
      DeviceConstraints deviceConstraints, DeviceSubRequest... wishes) {
    return new RequestAlternative(ImmutableList.copyOf(wishes), deviceConstraints);
  }

  static ClaimRequest claim(String name, DeviceSubRequest... wishes) {
    return claim(name, alternative(DeviceConstraints.ANYHOW, wishes));
  }

  static ClaimRequest claim(String name, RequestAlternative... alternatives) {
    return claim(name, AllocationPolicy.PACK, alternatives);
  }

  static ClaimRequest claim(
      String name, AllocationPolicy policy, RequestAlternative... alternatives) {
    return new RequestFixture(new ClaimRef("team", name), ImmutableList.copyOf(alternatives))
        .policy(policy)
        .build();
  }

  static PodRequest pod(ClaimRequest... claims) {
    return new PodRequest(ImmutableList.copyOf(claims));
  }

  static Placement place(NodeLedger ledger, ClaimRequest... claims) {
    return PodPlacer.place(ledger, pod(claims), new SearchBudget());
  }

  /** The names of what a claim is granted. */
  static ImmutableList<String> names(Placement placement, String claim) {
    ClaimUid uid = new ClaimUid("uid-of-" + claim);
    if (placement instanceof Placement.DoesNotFit no) {
      throw new AssertionError(text(no));
    }
    return Objects.requireNonNull(((Placement.Fits) placement).devices().get(uid)).stream()
        .map(GrantedDevice::name)
        .collect(toImmutableList());
  }

  static UnsuitableReason reason(Placement placement, String claim) {
    return Objects.requireNonNull(
        ((Placement.DoesNotFit) placement).reasons().get(new ClaimUid("uid-of-" + claim)));
  }

  static String text(Placement placement, String claim) {
    return reason(placement, claim).text(new NamespaceAudience("team"));
  }

  private static String text(Placement.DoesNotFit no) {
    return no.reasons().values().stream()
        .map(r -> r.text(new NamespaceAudience("team")))
        .toList()
        .toString();
  }

  static NodeLedger after(NodeLedger ledger, ClaimRequest... claims) {
    NodeLedger next = ledger;
    for (ClaimRequest claim : Arrays.asList(claims)) {
      next = with(next, pod(claim), place(next, claim));
    }
    return next;
  }

  static ClaimRequest inside(ClaimRequest parent, ClaimRequest claim) {
    return RequestFixture.like(claim).inside(parent).build();
  }

  /** The same claim, known to the API by this. */
  static ClaimRequest known(String uid, ClaimRequest claim) {
    return RequestFixture.like(claim).uid(uid).build();
  }

  static ClaimRequest tolerating(DeviceToleration toleration, ClaimRequest claim) {
    return RequestFixture.like(claim).tolerating(toleration).build();
  }

  static Inventory readingFormat(int format, Inventory inventory) {
    return NodeFixture.like(inventory).format(format).inventory();
  }
}
