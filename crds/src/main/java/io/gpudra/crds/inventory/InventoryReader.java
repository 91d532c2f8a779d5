package io.gpudra.crds.inventory;

import static com.google.common.base.Strings.nullToEmpty;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.NodeInventorySpec;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.api.problem.ProblemList;
import io.gpudra.crds.inventory.InventoryCodec.Reading;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.NodeState;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads one stored inventory. Confined to the call that created it. */
final class InventoryReader {

  private static final int FIRST_HANDLE_FORMAT = 1;

  private final NodeInventoryStatus status;
  private final @Nullable NodeInventorySpec spec;
  private final ProblemList problems = new ProblemList();
  private final FieldReader fields = new FieldReader(problems);

  private InventoryReader(NodeInventoryStatus status, @Nullable NodeInventorySpec spec) {
    this.status = status;
    this.spec = spec;
  }

  static Reading read(NodeInventory object, NodeState node, String driverName) {
    NodeInventoryStatus status = object.status();
    if (status == null || !driverName.equals(status.driverName())) {
      return new Reading(absent(node), problemsOfAbsent(status));
    }
    ImmutableList<String> broken = InventoryBounds.broken(status, object.spec());
    return broken.isEmpty()
        ? new InventoryReader(status, object.spec()).read(node)
        : new Reading(implausible(status, node, broken.get(0)), broken);
  }

  /**
   * The inventory of an implausible status. Claims that the node may have prepared are kept, so
   * that no other claim gets their names.
   */
  private static Inventory implausible(NodeInventoryStatus status, NodeState node, String problem) {
    return new Inventory(
        node,
        "",
        "",
        ImmutableList.of(),
        PreparedClaims.names(status.preparedClaims()),
        new Service.Implausible(problem));
  }

  private static Inventory absent(NodeState node) {
    return new Inventory(
        node, "", "", ImmutableList.of(), ImmutableList.of(), new Service.Absent());
  }

  /** An inventory of another driver is not a problem. */
  private static ImmutableList<String> problemsOfAbsent(@Nullable NodeInventoryStatus status) {
    return status == null || status.driverName() != null
        ? ImmutableList.of()
        : ImmutableList.of("status.driverName: Required value");
  }

  private Reading read(NodeState node) {
    ProductEntryReader productEntryReader = ProductEntryReader.read(status, fields);
    ImmutableList<Gpu> gpus =
        new GpuEntryReader(fields, productEntryReader, new TaintEntryReader(spec, fields))
            .read(status);
    ImmutableMap<String, String> uuidByName =
        gpus.stream().collect(toImmutableMap(Gpu::name, Gpu::uuid));
    Inventory inventory =
        new Inventory(
            node,
            nullToEmpty(status.driverVersion()),
            nullToEmpty(status.cudaDriverVersion()),
            gpus,
            fields.each(
                "status.links", status.links(), (path, link) -> link(path, link, uuidByName)),
            new PreparedClaims(fields, uuidByName).read(status.preparedClaims()),
            handleFormat(),
            service());
    return new Reading(inventory, problems.found());
  }

  private int handleFormat() {
    return Math.max(
        FIRST_HANDLE_FORMAT,
        Objects.requireNonNullElse(status.handleFormat(), FIRST_HANDLE_FORMAT));
  }

  /** GPUs that do not exist any more are left out of a link. */
  private Optional<GpuLink> link(
      String path, NodeInventoryStatus.Link link, ImmutableMap<String, String> uuidByName) {
    ImmutableSet<String> gpus =
        FieldReader.orEmpty(link.devices()).stream()
            .filter(Objects::nonNull)
            .flatMap(name -> Optional.ofNullable(uuidByName.get(name)).stream())
            .collect(toImmutableSet());
    Optional<GpuLink.Type> type = GpuLink.Type.of(link.type());
    if (type.isEmpty()) {
      fields.notFound(path + ".type", nullToEmpty(link.type()), "one of NVLink, NVSwitch");
    }
    Optional<Integer> lanes = fields.atLeast(1, path + ".lanes", link.lanes());
    return gpus.size() < 2 || lanes.isEmpty()
        ? Optional.empty()
        : type.map(known -> new GpuLink(gpus, known, lanes.get()));
  }

  private Service service() {
    Optional<Condition> ready =
        FieldReader.orEmpty(status.conditions()).stream()
            .filter(Objects::nonNull)
            .filter(condition -> InventoryCodec.READY.equals(condition.type()))
            .findFirst();
    return ready.filter(condition -> "True".equals(condition.status())).isPresent()
        ? new Service.Serving()
        : new Service.NotReady(
            ready.map(Condition::reason).filter(reason -> !reason.isEmpty()).orElse("Unknown"));
  }
}
