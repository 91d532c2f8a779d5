package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.model.node.PreparedClaim;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/** A node's inventory on the server: what its plugin wrote, and what an administrator did. */
final class Publication {
  private final Map<String, DeviceTaint> taints = new TreeMap<>();
  private Service service = new Service.Absent();
  private ImmutableList<Gpu> gpus;
  private ImmutableList<PreparedClaim> prepared = ImmutableList.of();

  Publication(ImmutableList<Gpu> gpus) {
    this.gpus = gpus;
  }

  void write(Service newService, ImmutableList<Gpu> newGpus, ImmutableList<PreparedClaim> held) {
    service = newService;
    gpus = newGpus;
    prepared = held;
  }

  void write(Service newService) {
    service = newService;
  }

  Inventory inventory(NodeState node) {
    return new Inventory(
        node,
        "",
        "",
        gpus.stream().map(this::tainted).collect(ImmutableList.toImmutableList()),
        ImmutableList.of(),
        prepared,
        HandleCodec.FORMAT,
        service);
  }

  private Gpu tainted(Gpu gpu) {
    DeviceTaint taint = taints.get(gpu.name());
    return taint == null ? gpu : gpu.with(ImmutableList.of(taint));
  }

  /** Keeps new claims from a GPU. */
  void taint(String gpu, DeviceTaint taint) {
    taints.put(gpu, taint);
  }

  void untaint(String gpu) {
    taints.remove(gpu);
  }

  boolean isTainted(String gpu) {
    return taints.containsKey(gpu);
  }

  /** Whether one of the taints is over, and so gone. */
  boolean taintsEnd(Instant now) {
    return taints.values().removeIf(taint -> !taint.at(now));
  }

  @Override
  public String toString() {
    return "%s, prepared %s"
        .formatted(
            service.getClass().getSimpleName(),
            prepared.stream().map(claim -> claim.ref() + " " + Grants.names(claim)).toList());
  }
}
