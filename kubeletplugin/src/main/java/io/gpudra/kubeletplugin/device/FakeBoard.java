package io.gpudra.kubeletplugin.device;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.MigState;
import java.util.Optional;
import java.util.UUID;

/**
 * One GPU of a profile: a product at a place.
 *
 * @param pcieBusId such as {@code 0000:07:00.0}; empty when the place is unknown
 * @param migDevices that exist before the plugin creates any
 */
record FakeBoard(
    GpuProduct product,
    String pcieBusId,
    String pcieRoot,
    int numaNode,
    MigMode mig,
    ImmutableList<MigDevice> migDevices) {

  private static final int DOMAIN_DIGITS = 4;

  /** A MIG device that the plugin did not create. */
  record MigDevice(Slice slice, boolean foreign) {}

  /** The same board in another PCI domain, as in a second machine of this kind. */
  FakeBoard inDomain(int domain) {
    return pcieBusId.length() <= DOMAIN_DIGITS || domain == 0
        ? this
        : new FakeBoard(
            product,
            "%04x%s".formatted(domain, pcieBusId.substring(DOMAIN_DIGITS)),
            pcieRoot.replace("pci0000", "pci%04x".formatted(domain)),
            numaNode,
            mig,
            migDevices);
  }

  /** The GPU; the same node name and index give the same UUID at every start. */
  Gpu gpu(String node, int index) {
    String seed = node + "/" + product.model().productName() + "/" + index;
    return new Gpu.Builder("GPU-" + uuid(seed), index, product.model(), product.memoryBytes())
        .pcieBusId(pcieBusId)
        .pcieRoot(pcieRoot)
        .numaNode(numaNode)
        .attributes(product.attributes())
        .mig(
            new MigState(
                mig,
                product.migSwitchable(),
                migDevices.stream()
                    .map(device -> migDevice(seed, device))
                    .collect(ImmutableList.toImmutableList())))
        .build();
  }

  private static MigState.Device migDevice(String seed, MigDevice device) {
    Slice slice = device.slice();
    return new MigState.Device(
        "MIG-" + uuid(seed + "/" + slice.profile() + "/" + slice.start()),
        slice,
        Optional.empty(),
        device.foreign());
  }

  private static UUID uuid(String seed) {
    return UUID.nameUUIDFromBytes(seed.getBytes(UTF_8));
  }
}
