package io.gpudra.controller.status;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.Link;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.model.node.NodeState;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A node as it is when nobody uses it, its plugin serves and nothing is wrong with its GPUs. */
final class Hardware {

  private Hardware() {}

  /** With the names of this node. */
  static Inventory of(Inventory node) {
    return with(
        node,
        node.node().name(),
        node.gpus().stream().map(Hardware::emptied).collect(toImmutableList()),
        node.links());
  }

  /** Equal for nodes of the same hardware. */
  static Inventory anonymous(Inventory node) {
    List<Gpu> gpus = node.gpus();
    ImmutableMap<String, String> names =
        IntStream.range(0, gpus.size())
            .boxed()
            .collect(
                ImmutableMap.toImmutableMap(
                    i -> gpus.get(i).uuid(), i -> "#" + i, (one, same) -> one));
    UnaryOperator<String> name = uuid -> names.getOrDefault(uuid, "");
    return with(
        node,
        "",
        gpus.stream().map(gpu -> anonymous(gpu, name.apply(gpu.uuid()))).collect(toImmutableList()),
        node.links().stream().map(link -> anonymous(link, name)).collect(toImmutableList()));
  }

  private static Inventory with(
      Inventory node, String name, ImmutableList<Gpu> gpus, ImmutableList<Link> links) {
    return new Inventory(
        new NodeState(name, true, false, ImmutableSortedSet.of(), ImmutableMap.of()),
        node.driverVersion(),
        node.cudaDriverVersion(),
        gpus,
        links,
        ImmutableList.of(),
        node.handleFormat(),
        new Inventory.Service.Serving());
  }

  private static Gpu anonymous(Gpu gpu, String uuid) {
    return new Gpu(
        gpu.name(),
        uuid,
        gpu.index(),
        0,
        gpu.model(),
        gpu.memoryBytes(),
        "",
        gpu.pcieRoot(),
        gpu.numaNode(),
        with(gpu.mig(), lasting(gpu).map(device -> anonymous(device, uuid))),
        ImmutableList.of());
  }

  private static MigState with(MigState mig, Stream<MigState.Device> devices) {
    return new MigState(mig.mode(), mig.switchable(), devices.collect(toImmutableList()));
  }

  /** MIG devices that were made for claims go when these do. */
  private static Stream<MigState.Device> lasting(Gpu gpu) {
    return gpu.mig().devices().stream().filter(device -> device.claim().isEmpty());
  }

  private static Gpu emptied(Gpu gpu) {
    return gpu.with(with(gpu.mig(), lasting(gpu))).with(ImmutableList.of());
  }

  private static MigState.Device anonymous(MigState.Device device, String gpu) {
    String uuid = device.isWhole() ? gpu + "-" + device.slice() : MigState.Device.halfMade(gpu, 0);
    return new MigState.Device(uuid, device.slice(), device.claim(), device.foreign());
  }

  private static Link anonymous(Link link, UnaryOperator<String> name) {
    return new Link(
        link.gpuUuids().stream().map(name).collect(toImmutableSet()), link.type(), link.lanes());
  }
}
