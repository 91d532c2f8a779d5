package io.gpudra.crds.api;

import static com.google.common.base.Strings.nullToEmpty;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import com.google.common.collect.Sets;
import io.gpudra.crds.api.Inventories.Reading;
import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.api.NodeInventoryStatus.Device;
import io.gpudra.crds.api.NodeInventoryStatus.Mig;
import io.gpudra.crds.api.NodeInventoryStatus.Model;
import io.gpudra.crds.api.NodeInventoryStatus.Prepared;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Gpu;
import io.gpudra.crds.model.GpuModel;
import io.gpudra.crds.model.Inventory;
import io.gpudra.crds.model.Inventory.Service;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.model.MigState;
import io.gpudra.crds.model.NodeState;
import io.gpudra.crds.model.PreparedClaim;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One reading of one stored inventory. Confined to the call that made it. */
final class InventoryReader {

  private final NodeInventoryStatus status;
  private final Problems problems = new Problems();
  private final Map<String, Model> models = new HashMap<>();
  private final Map<String, String> uuidByName = new HashMap<>();

  private InventoryReader(NodeInventoryStatus status) {
    this.status = status;
  }

  static Reading read(NodeInventory object, NodeState node, String driverName) {
    NodeInventoryStatus status = object.status();
    if (status == null || !driverName.equals(status.driverName())) {
      return new Reading(absent(node), problemsOfAbsent(status));
    }
    return new InventoryReader(status).read(node);
  }

  private static Inventory absent(NodeState node) {
    return new Inventory(
        node, "", "", ImmutableList.of(), ImmutableList.of(), new Service.Absent());
  }

  /** An inventory of another driver is nobody's mistake. */
  private static ImmutableList<String> problemsOfAbsent(@Nullable NodeInventoryStatus status) {
    return status == null || status.driverName() != null
        ? ImmutableList.of()
        : ImmutableList.of("status.driverName: Required value");
  }

  private Reading read(NodeState node) {
    readModels();
    ImmutableList<Gpu> gpus = gpus();
    ImmutableList<PreparedClaim> prepared = prepared();
    return new Reading(
        new Inventory(
            node,
            nullToEmpty(status.driverVersion()),
            nullToEmpty(status.cudaDriverVersion()),
            gpus,
            prepared,
            service()),
        problems.found());
  }

  private Service service() {
    Optional<Condition> ready =
        orEmpty(status.conditions()).stream()
            .filter(Objects::nonNull)
            .filter(condition -> Inventories.READY.equals(condition.type()))
            .findFirst();
    return ready.filter(condition -> "True".equals(condition.status())).isPresent()
        ? new Service.Serving()
        : new Service.NotReady(
            ready.map(Condition::reason).filter(reason -> !reason.isEmpty()).orElse("Unknown"));
  }

  private void readModels() {
    List<Model> listed = orEmpty(status.models());
    for (int i = 0; i < listed.size(); i++) {
      String path = "status.models[" + i + "]";
      Model model = listed.get(i);
      Optional<String> name = problems.text(path + ".name", model == null ? null : model.name());
      if (name.isPresent() && models.putIfAbsent(name.get(), model) != null) {
        problems.add(path, duplicate(name.get()));
      }
    }
  }

  private ImmutableList<Gpu> gpus() {
    List<Device> listed = orEmpty(status.devices());
    List<Gpu> gpus = new ArrayList<>();
    Set<String> uuids = new HashSet<>();
    for (int i = 0; i < listed.size(); i++) {
      String path = "status.devices[" + i + "]";
      gpu(path, listed.get(i)).filter(gpu -> isFirst(path, gpu, uuids)).ifPresent(gpus::add);
    }
    return ImmutableList.sortedCopyOf(
        Comparator.comparingInt(Gpu::index).thenComparing(Gpu::uuid), gpus);
  }

  private boolean isFirst(String path, Gpu gpu, Set<String> uuids) {
    if (!uuids.add(gpu.uuid())) {
      problems.add(path, duplicate(gpu.uuid()));
      return false;
    }
    if (uuidByName.putIfAbsent(gpu.name(), gpu.uuid()) != null) {
      problems.add(path, duplicate(gpu.name()));
      return false;
    }
    return true;
  }

  private Optional<Gpu> gpu(String path, @Nullable Device device) {
    if (device == null) {
      problems.required(path);
      return Optional.empty();
    }
    Optional<String> name = problems.text(path + ".name", device.name());
    Optional<String> uuid = problems.text(path + ".uuid", device.uuid());
    Optional<Integer> index = notNegative(path + ".index", device.index());
    Optional<Long> memory = notNegative(path + ".memory", device.memory());
    Optional<Gpu.MigMode> mig = mig(path + ".mig", device.mig());
    Optional<GpuModel> model = memory.flatMap(bytes -> model(path + ".model", device, bytes));
    if (name.isEmpty() || uuid.isEmpty() || index.isEmpty() || model.isEmpty() || mig.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Gpu(
            name.get(),
            uuid.get(),
            index.get(),
            Objects.requireNonNullElse(device.minor(), index.get()),
            model.get(),
            memory.get(),
            nullToEmpty(device.pcieBusID()),
            nullToEmpty(device.pcieRoot()),
            Objects.requireNonNullElse(device.numaNode(), -1),
            MigState.of(mig.get()),
            ImmutableList.of()));
  }

  private <N extends Number> Optional<N> notNegative(String path, @Nullable N value) {
    if (value == null) {
      problems.required(path);
      return Optional.empty();
    }
    if (value.longValue() < 0) {
      problems.add(path, "Invalid value: " + value + ": must not be negative");
      return Optional.empty();
    }
    return Optional.of(value);
  }

  /** A mode this version does not know is as bad as none: the GPU might be cut into MIG devices. */
  private Optional<Gpu.MigMode> mig(String path, @Nullable Mig mig) {
    if (mig == null) {
      problems.add(path, "Required value: one of Unsupported, Disabled, Enabled");
      return Optional.empty();
    }
    return Optional.of(
        switch (mig) {
          case UNSUPPORTED -> Gpu.MigMode.UNSUPPORTED;
          case DISABLED -> Gpu.MigMode.DISABLED;
          case ENABLED -> Gpu.MigMode.ENABLED;
        });
  }

  private Optional<GpuModel> model(String path, Device device, long memoryBytes) {
    Model model = models.get(nullToEmpty(device.model()));
    if (model == null) {
      problems.add(
          path,
          "Not found: \"%s\" is not listed in status.models"
              .formatted(Problems.shortened(nullToEmpty(device.model()))));
      return Optional.empty();
    }
    Long nominal = model.nominalMemory();
    return Optional.of(
        new GpuModel(
            nullToEmpty(model.name()),
            nullToEmpty(model.brand()),
            nullToEmpty(model.architecture()),
            nullToEmpty(model.cudaComputeCapability()),
            nominal == null || nominal <= 0 ? MemorySize.nominalOfReported(memoryBytes) : nominal,
            orEmpty(model.capabilities()).stream()
                .filter(Objects::nonNull)
                .collect(ImmutableSortedSet.toImmutableSortedSet(Comparator.naturalOrder()))));
  }

  /** Claims listed twice are one claim that holds the devices of both entries. */
  private ImmutableList<PreparedClaim> prepared() {
    List<Prepared> listed = orEmpty(status.preparedClaims());
    Map<ClaimUid, PreparedClaim> claims = new LinkedHashMap<>();
    for (int i = 0; i < listed.size(); i++) {
      String path = "status.preparedClaims[" + i + "]";
      prepared(path, listed.get(i))
          .ifPresent(claim -> claims.merge(claim.uid(), claim, (a, b) -> merged(path, a, b)));
    }
    return ImmutableList.copyOf(claims.values());
  }

  private PreparedClaim merged(String path, PreparedClaim first, PreparedClaim second) {
    problems.add(path, duplicate(second.uid().value()));
    return new PreparedClaim(
        first.uid(),
        first.ref(),
        ImmutableSet.copyOf(Sets.union(first.deviceUuids(), second.deviceUuids())),
        first.orphanedSince().or(second::orphanedSince));
  }

  private Optional<PreparedClaim> prepared(String path, @Nullable Prepared claim) {
    Optional<String> uid = problems.text(path + ".uid", claim == null ? null : claim.uid());
    if (claim == null || uid.isEmpty()) {
      return Optional.empty();
    }
    String namespace = problems.text(path + ".namespace", claim.namespace()).orElse("");
    String name = problems.text(path + ".name", claim.name()).orElse("");
    return Optional.of(
        new PreparedClaim(
            new ClaimUid(uid.get()),
            new ClaimRef(namespace, name),
            orEmpty(claim.devices()).stream()
                .filter(Objects::nonNull)
                .map(device -> uuidByName.getOrDefault(device, device))
                .collect(ImmutableSet.toImmutableSet()),
            NodeInventoryStatus.instant(claim.orphanedSince())));
  }

  private static String duplicate(String value) {
    return "Duplicate value: \"%s\"".formatted(Problems.shortened(value));
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }
}
