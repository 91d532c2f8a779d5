package io.gpudra.controller.allocation.ledger;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMultiset.toImmutableMultiset;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Streams;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.Link;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.usage.Holding;
import io.gpudra.crds.usage.Usage;
import java.util.Optional;

/**
 * What a search sees of a node: those that look alike have room for the same, whoever uses them.
 * Nothing in it names the node, a claim, or one GPU of the world; what conditions can read besides
 * ({@code uuid}, {@code parentUUID}, {@code pcieBusID}, {@code minor}, {@code node}) tells nodes
 * apart that look alike.
 *
 * @param links by places of the GPUs that reach each other
 */
public record Looks(
    String driverVersion,
    String cudaDriverVersion,
    int handleFormat,
    ImmutableList<OfGpu> gpus,
    ImmutableMultiset<ImmutableSet<Integer>> links) {

  /**
   * One GPU.
   *
   * @param taken of it, by whomever
   */
  record OfGpu(
      String name,
      int index,
      GpuModel model,
      long memoryBytes,
      String pcieRoot,
      int numaNode,
      MigMode mode,
      boolean switchable,
      ImmutableMultiset<OfMig> cut,
      ImmutableList<DeviceTaint> taints,
      ImmutableMultiset<GrantedPart> taken) {

    static OfGpu of(Gpu gpu, Usage usage) {
      return new OfGpu(
          gpu.name(),
          gpu.index(),
          gpu.model(),
          gpu.memoryBytes(),
          gpu.pcieRoot(),
          gpu.numaNode(),
          gpu.mig().mode(),
          gpu.mig().switchable(),
          gpu.mig().devices().stream().map(OfMig::of).collect(toImmutableMultiset()),
          gpu.taints(),
          usage.holdings().stream().map(OfGpu::anybodys).collect(toImmutableMultiset()));
    }

    private static GrantedPart anybodys(Holding holding) {
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
  }

  /** One MIG device. */
  record OfMig(Part.Slice slice, boolean claimed, boolean foreign) {

    static OfMig of(MigState.Device device) {
      return new OfMig(device.slice(), device.claim().isPresent(), device.foreign());
    }
  }

  /**
   * Of a node as it is now.
   *
   * @return empty where more than that decides: it grants nothing, or parts of its GPUs are carved
   *     out of those of certain claims
   */
  public static Optional<Looks> of(NodeLedger ledger) {
    boolean nested =
        ledger.usages().stream()
            .flatMap(usage -> usage.holdings().stream())
            .anyMatch(holding -> holding.part().inside().isPresent());
    return !ledger.serving() || !ledger.unreadable().isEmpty() || nested
        ? Optional.empty()
        : Optional.of(of(ledger.inventory(), ledger.usages()));
  }

  private static Looks of(Inventory inventory, ImmutableList<Usage> usages) {
    ImmutableList<String> uuids =
        inventory.gpus().stream().map(Gpu::uuid).collect(toImmutableList());
    return new Looks(
        inventory.driverVersion(),
        inventory.cudaDriverVersion(),
        inventory.handleFormat(),
        Streams.zip(inventory.gpus().stream(), usages.stream(), OfGpu::of)
            .collect(toImmutableList()),
        inventory.links().stream().map(link -> places(link, uuids)).collect(toImmutableMultiset()));
  }

  private static ImmutableSet<Integer> places(Link link, ImmutableList<String> uuids) {
    return link.gpuUuids().stream().map(uuids::indexOf).collect(toImmutableSet());
  }
}
