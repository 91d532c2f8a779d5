package io.gpudra.kubeletplugin.kube;

import com.google.common.collect.ImmutableSet;
import java.util.Optional;

/**
 * All that the plugin reports about itself.
 *
 * @param service whether the kubelet calls, or the plugin stopped
 * @param driverProblem the reason why no GPU of the node can be reached
 * @param unlisted PCI addresses of GPUs that the driver does not list
 * @param inventoryProblem the reason why the inventory of the node is implausible
 * @param stateProblem the reason why the checkpoint is no longer reliable
 * @param cdiProblem the reason why CDI specs cannot be written
 * @param runtimeProblem the reason why the container runtime would not read CDI specs
 */
record PluginStatus(
    ReadyCondition service,
    Optional<String> driverProblem,
    ImmutableSet<String> unlisted,
    Optional<String> inventoryProblem,
    Optional<String> stateProblem,
    Optional<String> cdiProblem,
    Optional<String> runtimeProblem) {

  private static final String STATE_UNWRITABLE = "StateDirectoryUnwritable";

  static final PluginStatus STARTING =
      new PluginStatus(
          ReadyCondition.STARTING,
          Optional.empty(),
          ImmutableSet.of(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  PluginStatus with(ReadyCondition next) {
    return new PluginStatus(
        next, driverProblem, unlisted, inventoryProblem, stateProblem, cdiProblem, runtimeProblem);
  }

  PluginStatus with(Optional<String> driver, ImmutableSet<String> without) {
    return new PluginStatus(
        service, driver, without, inventoryProblem, stateProblem, cdiProblem, runtimeProblem);
  }

  PluginStatus withInventory(Optional<String> problem) {
    return new PluginStatus(
        service, driverProblem, unlisted, problem, stateProblem, cdiProblem, runtimeProblem);
  }

  PluginStatus with(Optional<String> state, Optional<String> cdi) {
    return new PluginStatus(
        service, driverProblem, unlisted, inventoryProblem, state, cdi, runtimeProblem);
  }

  PluginStatus withRuntime(Optional<String> problem) {
    return new PluginStatus(
        service, driverProblem, unlisted, inventoryProblem, stateProblem, cdiProblem, problem);
  }

  /**
   * Whether new allocations make sense: devices that cannot be reached, or written to CDI, cannot
   * be prepared. A kubelet that does not call matters less than a missing driver.
   */
  ReadyCondition ready() {
    return driverProblem
        .filter(problem -> !service.equals(ReadyCondition.STOPPED))
        .map(problem -> new ReadyCondition(false, "GpuDriverNotFound", problem))
        .orElseGet(this::readyWithDriver);
  }

  private ReadyCondition readyWithDriver() {
    if (!service.ready()) {
      return service;
    }
    return stateProblem
        .map(problem -> new ReadyCondition(false, STATE_UNWRITABLE, problem))
        .or(() -> inventoryProblem.map(p -> new ReadyCondition(false, "InventoryImplausible", p)))
        .or(() -> cdiProblem.map(p -> new ReadyCondition(false, "CdiDirectoryUnwritable", p)))
        .or(() -> runtimeProblem.map(p -> new ReadyCondition(false, "RuntimeWithoutCdi", p)))
        .orElseGet(this::readyWithListed);
  }

  private ReadyCondition readyWithListed() {
    return unlisted.isEmpty()
        ? service
        : new ReadyCondition(
            true,
            service.reason(),
            "the driver does not list the GPU at " + String.join(", ", unlisted));
  }

  ReadyCondition stateIntact() {
    return stateProblem
        .map(problem -> new ReadyCondition(false, STATE_UNWRITABLE, problem))
        .orElse(new ReadyCondition(true, "Intact", ""));
  }
}
