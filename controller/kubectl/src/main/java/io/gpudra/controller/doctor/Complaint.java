package io.gpudra.controller.doctor;

/** In what ways the driver as a whole may not work, by the names that people look for. */
public enum Complaint {
  /** The server does not have the API that this driver speaks. */
  API_NOT_SERVED("ApiNotServed"),
  /** A component runs without the feature gate. */
  FEATURE_GATE_OFF("FeatureGateOff"),
  /** This release of kube-scheduler has a defect that concerns claims. */
  SCHEDULER_BINDS_NO_CLAIMS("SchedulerBindsNoClaims"),
  /** No class names a driver that runs, or one that a claim uses does not. */
  DRIVER_NAME_MISMATCH("DriverNameMismatch"),
  /** A service account may not do what its program does. */
  RIGHTS_MISSING("RightsMissing"),
  /** The custom resources are older than the driver. */
  CRD_OUTDATED("CrdOutdated"),
  /** No controller runs, or none leads. */
  NO_CONTROLLER("NoController"),
  /** A node has GPUs and no plugin that told of them. */
  NO_INVENTORY("NoInventory"),
  /** A plugin waits for the driver of the GPUs. */
  GPU_DRIVER_NOT_FOUND("GpuDriverNotFound"),
  /** A plugin went silent. */
  INVENTORY_STALE("InventoryStale"),
  /** A node reports what no node has. */
  INVENTORY_IMPLAUSIBLE("InventoryImplausible"),
  /** A kubelet does not know the plugin. */
  NOT_REGISTERED("NotRegistered"),
  /** The container runtime would start containers without their GPUs. */
  RUNTIME_WITHOUT_CDI("RuntimeWithoutCdi"),
  /** What is prepared for containers cannot be written. */
  CDI_NOT_WORKING("CdiNotWorking"),
  /** Somebody else hands out the same GPUs. */
  DEVICE_PLUGIN_TOO("DevicePluginToo"),
  /** A claim waits because of what its user wrote. */
  CLAIM_REFUSED("ClaimRefused"),
  /** No device of the cluster is what a claim asks for. */
  NOTHING_MATCHES("NothingMatches"),
  /** Devices match, and others have them. */
  ALL_IN_USE("AllInUse"),
  /** Parts of different releases run. */
  VERSIONS_DIFFER("VersionsDiffer");

  private final String label;

  Complaint(String label) {
    this.label = label;
  }

  /** CamelCase; stable. */
  public String label() {
    return label;
  }
}
