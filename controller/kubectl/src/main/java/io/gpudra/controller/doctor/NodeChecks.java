package io.gpudra.controller.doctor;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.doctor.InstallationState.Member;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.Inventory.Service;
import io.gpudra.crds.text.ListText;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Checks that each node with GPUs publishes them, and only to this driver. */
record NodeChecks(InstallationState installationState) {
  private static final String MOVE =
      "remove the node from one of the two, see docs/operate/moving.md";

  Stream<Diagnosis> diagnoses() {
    return Stream.of(inventories(), devicePlugins()).flatMap(found -> found);
  }

  private Stream<Diagnosis> inventories() {
    ImmutableList<Inventory> all = installationState.userView().cluster().reading().inventories();
    boolean none = all.stream().allMatch(one -> one.service() instanceof Service.Absent);
    Stream<Diagnosis> missing =
        all.stream()
            .filter(one -> one.service() instanceof Service.Absent)
            .filter(one -> none || hasGpus(one.node().name()))
            .filter(
                one ->
                    installationState.plugins().stream().noneMatch(p -> on(p, one) && !p.ready()))
            .map(this::missing);
    return Stream.concat(missing, all.stream().flatMap(one -> troubled(one).stream()));
  }

  private boolean hasGpus(String node) {
    InstallationState.Node known = installationState.nodes().get(node);
    return known != null && (known.shared() || !known.gpuLabels().isEmpty());
  }

  private static boolean on(Member member, Inventory inventory) {
    return member.node().equals(inventory.node().name());
  }

  private Diagnosis missing(Inventory node) {
    boolean runs = installationState.plugins().stream().anyMatch(member -> on(member, node));
    return new Diagnosis(
        ProblemKind.NO_INVENTORY,
        "node " + node.node().name(),
        runs
            ? "a plugin runs on it but has not published any GPU"
            : "no plugin runs on it" + repelled(node),
        "kubectl get daemonset,pods -A -l app.kubernetes.io/name=gpudra-kubeletplugin -o wide");
  }

  private static String repelled(Inventory node) {
    return node.node().repellingTaints().isEmpty()
        ? ""
        : "; its taints are " + ListText.of(node.node().repellingTaints());
  }

  private Optional<Diagnosis> troubled(Inventory inventory) {
    String node = inventory.node().name();
    if (inventory.service() instanceof Service.Stale stale) {
      return Optional.of(
          new Diagnosis(
              ProblemKind.INVENTORY_STALE,
              "node " + node,
              "its plugin last published at " + stale.lastHeard(),
              "kubectl get pods -A --field-selector spec.nodeName=%s -l".formatted(node)
                  + " app.kubernetes.io/name=gpudra-kubeletplugin"));
    }
    if (inventory.service() instanceof Service.Implausible implausible) {
      return Optional.of(
          new Diagnosis(
              ProblemKind.INVENTORY_IMPLAUSIBLE,
              "node " + node,
              implausible.problem(),
              "kubectl get nodeinventory %s -o yaml".formatted(node)));
    }
    boolean toldByItsPod =
        installationState.plugins().stream()
            .anyMatch(p -> on(p, inventory) && PodChecks.waitsForDriver(p));
    return inventory.service() instanceof Service.NotReady && !toldByItsPod
        ? Optional.of(
            notReady(
                node,
                Optional.ofNullable(installationState.userView().objects().published().get(node))))
        : Optional.empty();
  }

  private static Diagnosis notReady(String node, Optional<NodeInventory> object) {
    Optional<Condition> ready =
        object.map(NodeInventory::status).stream()
            .flatMap(status -> orNone(status.conditions()).stream())
            .filter(condition -> "Ready".equals(condition.type()))
            .findFirst();
    String reason = ready.map(Condition::reason).orElse("");
    String what =
        "its plugin reports %s: %s".formatted(reason, ready.map(Condition::message).orElse(""));
    return switch (reason) {
      case "Starting", "RegistrationRefused" ->
          new Diagnosis(
              ProblemKind.NOT_REGISTERED,
              "node " + node,
              what,
              "start the kubelet with %s, and set --kubelet-dir of the plugin to its root directory"
                  .formatted(ControlPlane.GATE));
      case "GpuDriverNotFound" ->
          new Diagnosis(
              ProblemKind.GPU_DRIVER_NOT_FOUND, "node " + node, what, PodChecks.DRIVER_REMEDY);
      case "RuntimeWithoutCdi" ->
          new Diagnosis(
              ProblemKind.RUNTIME_WITHOUT_CDI,
              "node " + node,
              what,
              "set enable_cdi = true in section [plugins.\"io.containerd.grpc.v1.cri\"] of that"
                  + " file, and restart containerd");
      case "CdiDirectoryUnwritable" ->
          new Diagnosis(
              ProblemKind.CDI_NOT_WORKING,
              "node " + node,
              what,
              "make the plugin's --cdi-root writable, and one of the runtime's CDI directories");
      default ->
          new Diagnosis(ProblemKind.NO_INVENTORY, "node " + node, what, "fix the reported problem");
    };
  }

  private static <T> List<T> orNone(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }

  private Stream<Diagnosis> devicePlugins() {
    return installationState.userView().cluster().reading().inventories().stream()
        .filter(one -> !one.gpus().isEmpty())
        .filter(one -> installationState.nodes().containsKey(one.node().name()))
        .flatMap(one -> besideUs(one).stream());
  }

  private Optional<Diagnosis> besideUs(Inventory inventory) {
    String name = inventory.node().name();
    InstallationState.Node node = Objects.requireNonNull(installationState.nodes().get(name));
    if (node.shared()) {
      return Optional.of(
          devicePlugin(
              name,
              "a device plugin also offers %d of its GPUs".formatted(node.handedOut().orElse(0)),
              MOVE));
    }
    Optional<String> seenThere = seenThere(inventory);
    if (seenThere.isPresent()) {
      return seenThere.map(what -> devicePlugin(name, what, MOVE));
    }
    ImmutableList<String> leftBehind = installationState.leftovers().get(name);
    return leftBehind.isEmpty()
        ? Optional.empty()
        : Optional.of(
            devicePlugin(
                name,
                "pods still hold GPUs of a removed device plugin: " + ListText.of(leftBehind),
                "kubectl drain %s --ignore-daemonsets, see docs/operate/moving.md"
                    .formatted(name)));
  }

  /** The plugin's taint; the plugin detects device plugins under any resource name. */
  private static Optional<String> seenThere(Inventory node) {
    return node.gpus().stream()
        .flatMap(gpu -> gpu.taints().stream())
        .filter(DeviceTaint::concernsDevicePlugin)
        .map(DeviceTaint::reason)
        .findFirst();
  }

  private static Diagnosis devicePlugin(String node, String what, String remedy) {
    return new Diagnosis(ProblemKind.DEVICE_PLUGIN_TOO, "node " + node, what, remedy);
  }
}
