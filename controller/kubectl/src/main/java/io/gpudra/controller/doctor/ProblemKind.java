package io.gpudra.controller.doctor;

/** Kinds of problems that doctor finds. */
public enum ProblemKind {
  /** The API server does not serve the API that this driver needs. */
  API_NOT_SERVED("ApiNotServed"),
  /** A component runs without the feature gate. */
  FEATURE_GATE_OFF("FeatureGateOff"),
  /** This release of kube-scheduler has a bug with claims. */
  SCHEDULER_BINDS_NO_CLAIMS("SchedulerBindsNoClaims"),
  /** No class, or not the class of a claim, names a running driver. */
  DRIVER_NAME_MISMATCH("DriverNameMismatch"),
  /** A service account lacks permissions that its program needs. */
  RIGHTS_MISSING("RightsMissing"),
  /** The CRDs are older than the driver. */
  CRD_OUTDATED("CrdOutdated"),
  /** No controller runs, or none leads. */
  NO_CONTROLLER("NoController"),
  /** Pods wait for a gate that no controller removes. */
  GATE_WITHOUT_CONTROLLER("GateWithoutController"),
  /** No policy keeps the right to patch pods to scheduling gates. */
  POLICY_MISSING("PolicyMissing"),
  /** A node has GPUs, but no plugin has published them. */
  NO_INVENTORY("NoInventory"),
  /** A plugin waits for the GPU driver. */
  GPU_DRIVER_NOT_FOUND("GpuDriverNotFound"),
  /** A plugin stopped publishing. */
  INVENTORY_STALE("InventoryStale"),
  /** A node reports more than hardware can have. */
  INVENTORY_IMPLAUSIBLE("InventoryImplausible"),
  /** The plugin is not registered with its kubelet. */
  NOT_REGISTERED("NotRegistered"),
  /** The container runtime would start containers without their GPUs. */
  RUNTIME_WITHOUT_CDI("RuntimeWithoutCdi"),
  /** The CDI files for containers cannot be written. */
  CDI_NOT_WORKING("CdiNotWorking"),
  /** A device plugin advertises the same GPUs. */
  DEVICE_PLUGIN_TOO("DevicePluginToo"),
  /** A claim waits because its user must correct it. */
  CLAIM_REFUSED("ClaimRefused"),
  /** No device of the cluster matches a claim. */
  NOTHING_MATCHES("NothingMatches"),
  /** Matching devices are all in use. */
  ALL_IN_USE("AllInUse"),
  /** The scheduler refuses a pod although nodes have the devices for its claims. */
  SCHEDULER_REFUSES("SchedulerRefuses"),
  /** Controller and plugins run different versions. */
  VERSIONS_DIFFER("VersionsDiffer");

  private final String label;

  ProblemKind(String label) {
    this.label = label;
  }

  /** CamelCase; stable. */
  public String label() {
    return label;
  }
}
