package io.gpudra.crds.testing;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.model.node.NodeTaint;
import io.gpudra.crds.model.node.PreparedClaim;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** A node with GPUs, to be changed; at first ready, served, and without any. */
public final class NodeFixture {
  private NodeState state;
  private String uuids;
  private String driver = "535.104.05";
  private String cuda = "12.2";
  private final List<Gpu> gpus = new ArrayList<>();
  private final List<GpuLink> links = new ArrayList<>();
  private final List<PreparedClaim> prepared = new ArrayList<>();
  private int format = 2;
  private Inventory.Service service = new Inventory.Service.Serving();

  private NodeFixture(NodeState state) {
    this.state = state;
    this.uuids = "GPU-" + state.name() + "-";
  }

  /** Its GPUs have UUIDs such as {@code GPU-node-0}. */
  public static NodeFixture node(String name) {
    return new NodeFixture(ready(name));
  }

  public static NodeFixture like(Inventory inventory) {
    NodeFixture node =
        new NodeFixture(inventory.node())
            .driver(inventory.driverVersion(), inventory.cudaDriverVersion())
            .gpus(inventory.gpus())
            .format(inventory.handleFormat())
            .service(inventory.service());
    node.links.addAll(inventory.links());
    node.prepared.addAll(inventory.prepared());
    return node;
  }

  /** The state of a node of which there is nothing to say. */
  public static NodeState ready(String name) {
    return ready(name, ImmutableMap.of(), ImmutableSet.of(), ImmutableMap.of());
  }

  /** The same with a label. */
  public static NodeState ready(String name, String key, String value) {
    return ready(name, ImmutableMap.of(key, value), ImmutableSet.of(), ImmutableMap.of());
  }

  /** A node with these taints that pods may use as much of. */
  public static NodeState ready(
      String name,
      ImmutableMap<String, String> labels,
      ImmutableSet<NodeTaint> taints,
      ImmutableMap<String, Long> allocatable) {
    return new NodeState(name, true, false, taints, labels, allocatable);
  }

  public static NodeState cordoned(NodeState state) {
    return new NodeState(
        state.name(), state.ready(), true, state.taints(), state.labels(), state.allocatable());
  }

  /** The state of a node of more labels and taints than are read. */
  public static NodeState crowded(String name) {
    return new NodeState(
        name, true, false, ImmutableSet.of(), ImmutableMap.of(), ImmutableMap.of(), true);
  }

  public NodeFixture state(NodeState value) {
    state = value;
    return this;
  }

  /** What the UUIDs of the GPUs to come begin with. */
  public NodeFixture uuids(String value) {
    uuids = value;
    return this;
  }

  public NodeFixture driver(String version, String cudaVersion) {
    driver = version;
    cuda = cudaVersion;
    return this;
  }

  public NodeFixture gpus(int count, GpuModel model) {
    return gpus(Collections.nCopies(count, model).toArray(GpuModel[]::new));
  }

  public NodeFixture gpus(GpuModel... models) {
    for (GpuModel model : models) {
      gpus.add(GpuModels.gpu(uuids + gpus.size(), gpus.size(), model));
    }
    return this;
  }

  public NodeFixture gpus(ImmutableList<Gpu> others) {
    gpus.addAll(others);
    return this;
  }

  public NodeFixture each(UnaryOperator<Gpu> change) {
    gpus.replaceAll(change);
    return this;
  }

  public NodeFixture change(int index, UnaryOperator<Gpu> change) {
    gpus.set(index, change.apply(gpus.get(index)));
    return this;
  }

  public NodeFixture mig(int index, MigState.Device... devices) {
    return change(index, gpu -> gpu.with(GpuModels.enabled(devices)));
  }

  public NodeFixture taint(int index, DeviceTaint... taints) {
    return change(index, gpu -> gpu.with(ImmutableList.copyOf(taints)));
  }

  public NodeFixture links(GpuLink... more) {
    links.addAll(Arrays.asList(more));
    return this;
  }

  /** These GPUs by NVLink. */
  public NodeFixture linked(int lanes, int... indexes) {
    return links(
        new GpuLink(
            IntStream.of(indexes).mapToObj(i -> gpus.get(i).uuid()).collect(toImmutableSet()),
            GpuLink.Type.NVLINK,
            lanes));
  }

  public NodeFixture prepared(PreparedClaim... more) {
    prepared.addAll(Arrays.asList(more));
    return this;
  }

  public NodeFixture unprepared(Predicate<PreparedClaim> gone) {
    prepared.removeIf(gone);
    return this;
  }

  public NodeFixture format(int value) {
    format = value;
    return this;
  }

  public NodeFixture service(Inventory.Service value) {
    service = value;
    return this;
  }

  public Inventory inventory() {
    return new Inventory(
        state,
        driver,
        cuda,
        ImmutableList.copyOf(gpus),
        ImmutableList.copyOf(links),
        ImmutableList.copyOf(prepared),
        format,
        service);
  }
}
