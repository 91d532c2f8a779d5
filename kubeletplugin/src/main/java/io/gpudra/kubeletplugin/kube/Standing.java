package io.gpudra.kubeletplugin.kube;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.Optional;

/**
 * Everything that the plugin reports about itself.
 *
 * @param service whether the kubelet calls, or the plugin stopped
 * @param driverProblem why no GPU of the node can be reached
 * @param unlisted PCI addresses of GPUs that the driver does not list
 * @param inventoryProblem why the inventory of the node is implausible
 * @param stateProblem why the checkpoint is no longer reliable
 * @param cdiProblem why CDI specs cannot be written
 * @param runtimeProblem why the container runtime would not read CDI specs
 */
record Standing(
    Readiness service,
    Optional<String> driverProblem,
    ImmutableSet<String> unlisted,
    Optional<String> inventoryProblem,
    Optional<String> stateProblem,
    Optional<String> cdiProblem,
    Optional<String> runtimeProblem) {

  private static final String STATE_UNWRITABLE = "StateDirectoryUnwritable";

  static final Standing STARTING =
      new Standing(
          Readiness.STARTING,
          Optional.empty(),
          ImmutableSet.of(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  Standing with(Readiness next) {
    return new Standing(
        next, driverProblem, unlisted, inventoryProblem, stateProblem, cdiProblem, runtimeProblem);
  }

  Standing with(Optional<String> driver, ImmutableSet<String> without) {
    return new Standing(
        service, driver, without, inventoryProblem, stateProblem, cdiProblem, runtimeProblem);
  }

  Standing withInventory(Optional<String> problem) {
    return new Standing(
        service, driverProblem, unlisted, problem, stateProblem, cdiProblem, runtimeProblem);
  }

  Standing with(Optional<String> state, Optional<String> cdi) {
    return new Standing(
        service, driverProblem, unlisted, inventoryProblem, state, cdi, runtimeProblem);
  }

  Standing withRuntime(Optional<String> problem) {
    return new Standing(
        service, driverProblem, unlisted, inventoryProblem, stateProblem, cdiProblem, problem);
  }

  /**
   * Whether new grants make sense: what cannot be reached or written can neither be prepared. A
   * kubelet that does not call is worth less than the driver that is missing meanwhile.
   */
  Readiness ready() {
    return driverProblem
        .filter(problem -> !service.equals(Readiness.STOPPED))
        .map(problem -> new Readiness(false, "GpuDriverNotFound", problem))
        .orElseGet(this::readyWithDriver);
  }

  private Readiness readyWithDriver() {
    if (!service.ready()) {
      return service;
    }
    return stateProblem
        .map(problem -> new Readiness(false, STATE_UNWRITABLE, problem))
        .or(() -> inventoryProblem.map(p -> new Readiness(false, "InventoryImplausible", p)))
        .or(() -> cdiProblem.map(p -> new Readiness(false, "CdiDirectoryUnwritable", p)))
        .or(() -> runtimeProblem.map(p -> new Readiness(false, "RuntimeWithoutCdi", p)))
        .orElseGet(this::readyWithWhatIsListed);
  }

  private Readiness readyWithWhatIsListed() {
    return unlisted.isEmpty()
        ? service
        : new Readiness(
            true,
            service.reason(),
            "the driver does not list the GPU at " + String.join(", ", unlisted));
  }

  Readiness stateIntact() {
    return stateProblem
        .map(problem -> new Readiness(false, STATE_UNWRITABLE, problem))
        .orElse(new Readiness(true, "Intact", ""));
  }

  /** In the order in which they are published. */
  ImmutableList<Readiness> conditions() {
    return ImmutableList.of(ready(), stateIntact());
  }
}
