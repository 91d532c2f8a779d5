package io.gpudra.controller.gpu;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSortedSet.toImmutableSortedSet;
import static java.util.Comparator.naturalOrder;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.allocation.refusal.DisabledMigMode;
import io.gpudra.controller.gpu.cel.CelDevice;
import io.gpudra.controller.gpu.cel.DeviceExpression;
import io.gpudra.crds.model.node.DeviceAttribute.Scope;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigProfile;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The GPUs of a cluster, in use or not. Its size depends on the number of kinds of GPU, not on the
 * number of nodes.
 *
 * @param samples one GPU of each kind
 * @param mostOnANode the number of GPUs of the largest node
 * @param complete whether there is a sample of every kind
 */
public record ClusterCapacity(ImmutableList<CelDevice> samples, int mostOnANode, boolean complete) {

  /**
   * More kinds than any cluster has; a condition is evaluated on at most this number of samples.
   */
  private static final int MAX_KINDS = 256;

  /** The values of all attributes of {@link Scope#KIND}. */
  private record Kind(
      GpuModel model,
      long memoryBytes,
      Gpu.MigMode mig,
      String driverVersion,
      String cudaDriverVersion) {

    static Kind of(Inventory inventory, Gpu gpu) {
      return new Kind(
          gpu.model(),
          gpu.memoryBytes(),
          gpu.mig().mode(),
          inventory.driverVersion(),
          inventory.cudaDriverVersion());
    }
  }

  /** The GPUs of these nodes. */
  public static ClusterCapacity of(String driver, Collection<Inventory> inventories) {
    Map<Kind, CelDevice> samples = new LinkedHashMap<>();
    int most = 0;
    boolean complete = true;
    for (Inventory inventory : inventories) {
      most = Math.max(most, inventory.gpus().size());
      for (Gpu gpu : inventory.gpus()) {
        Kind kind = Kind.of(inventory, gpu);
        boolean room = samples.size() < MAX_KINDS || samples.containsKey(kind);
        complete &= room;
        if (room) {
          samples.putIfAbsent(kind, new CelDevice(driver, inventory, gpu));
        }
      }
    }
    return new ClusterCapacity(ImmutableList.copyOf(samples.values()), most, complete);
  }

  /** Whether the samples have every kind of GPU. */
  boolean isRepresentative() {
    return complete && !samples.isEmpty();
  }

  /** Whether the result is the same for all GPUs of one kind. */
  static boolean isDecidedByKind(DeviceExpression expression) {
    return expression.reads().stream().allMatch(one -> one.scope() == Scope.KIND);
  }

  /** The nominal memory of the largest GPU. */
  public long largestNominalBytes() {
    return samples.stream()
        .mapToLong(one -> one.gpu().model().nominalMemoryBytes())
        .max()
        .orElse(0);
  }

  long largestBytes() {
    return samples.stream().mapToLong(one -> one.gpu().memoryBytes()).max().orElse(0);
  }

  ImmutableSortedSet<String> products() {
    return samples.stream()
        .map(one -> one.gpu().model().productName())
        .collect(toImmutableSortedSet(naturalOrder()));
  }

  /** Whether there are GPUs whose profiles are unknown before their MIG mode is on. */
  boolean hasUnknownMigProfiles() {
    return samples.stream()
        .map(CelDevice::gpu)
        .anyMatch(gpu -> DisabledMigMode.is(gpu) && gpu.model().migProfiles().isEmpty());
  }

  /** In the order of the models, each once. */
  ImmutableList<String> migProfiles() {
    return samples.stream()
        .flatMap(one -> one.gpu().model().migProfiles().stream())
        .map(MigProfile::name)
        .distinct()
        .collect(toImmutableList());
  }
}
