package io.gpudra.controller.allocation.ledger;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMultiset.toImmutableMultiset;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableMultiset;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.usage.GpuUsage;
import io.gpudra.crds.usage.PartHolding;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The facts of a node that decide on a search: nodes with equal fingerprints have room for the same
 * requests.
 *
 * @param gpus the GPUs and their node, see {@link #anonymous}
 * @param usedParts the allocated parts of each GPU
 */
public record NodeFingerprint(
    Inventory gpus, ImmutableList<ImmutableMultiset<GrantedPart>> usedParts) {
  private static final ClaimUid ANY_CLAIM = new ClaimUid("");

  /** The current fingerprint of a node; empty if the node serves no new claims. */
  public static Optional<NodeFingerprint> of(NodeLedger ledger) {
    return ledger.acceptsClaims()
        ? Optional.of(
            new NodeFingerprint(
                anonymous(ledger.inventory()),
                ledger.usages().stream()
                    .map(NodeFingerprint::usedParts)
                    .collect(toImmutableList())))
        : Optional.empty();
  }

  private static ImmutableMultiset<GrantedPart> usedParts(GpuUsage usage) {
    return usage.holdings().stream().map(NodeFingerprint::anonymous).collect(toImmutableMultiset());
  }

  /** Without the parent claim: a part carved out of it exists on one node only. */
  private static GrantedPart anonymous(PartHolding holding) {
    GrantedPart part = holding.part();
    return new GrantedPart(
        "",
        part.part(),
        part.sharing(),
        part.overcommitPercent(),
        part.existing(),
        part.inside(),
        Optional.empty());
  }

  /**
   * Equal for serving nodes with equal GPUs in the same state. It contains no name of the node, a
   * claim or a certain GPU. Conditions can still distinguish such nodes by the attributes left out,
   * those of {@link io.gpudra.crds.model.node.DeviceAttribute.Scope#DEVICE}.
   */
  public static Inventory anonymous(Inventory node) {
    List<Gpu> gpus = node.gpus();
    ImmutableMap<String, String> names = numbered(gpus);
    UnaryOperator<String> name = uuid -> names.getOrDefault(uuid, "");
    return node.bare(
        "",
        gpus.stream().map(gpu -> anonymous(gpu, name.apply(gpu.uuid()))).collect(toImmutableList()),
        node.links().stream().map(link -> anonymous(link, name)).collect(toImmutableList()));
  }

  private static ImmutableMap<String, String> numbered(List<Gpu> gpus) {
    ImmutableMap.Builder<String, String> names = ImmutableMap.builder();
    for (int i = 0; i < gpus.size(); i++) {
      names.put(gpus.get(i).uuid(), "#" + i);
    }
    return names.buildKeepingLast();
  }

  private static Gpu anonymous(Gpu gpu, String uuid) {
    return gpu.toBuilder()
        .uuid(uuid)
        .minor(0)
        .pcieBusId("")
        .attributes(gpu.attributes().anonymous())
        .mig(anonymous(gpu.mig(), uuid))
        .build();
  }

  private static MigState anonymous(MigState mig, String gpu) {
    return new MigState(
        mig.mode(),
        mig.switchable(),
        mig.devices().stream().map(device -> anonymous(device, gpu)).collect(toImmutableList()));
  }

  private static MigState.Device anonymous(MigState.Device device, String gpu) {
    return new MigState.Device(
        device.isWhole() ? gpu + "-" + device.slice() : MigState.Device.halfMade(gpu, 0),
        device.slice(),
        device.claim().map(any -> ANY_CLAIM),
        device.foreign(),
        device.taints());
  }

  private static GpuLink anonymous(GpuLink link, UnaryOperator<String> name) {
    return new GpuLink(
        link.gpuUuids().stream().map(name).collect(toImmutableSet()), link.type(), link.lanes());
  }
}
