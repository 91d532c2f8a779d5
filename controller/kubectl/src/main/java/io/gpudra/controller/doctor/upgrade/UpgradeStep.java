package io.gpudra.controller.doctor.upgrade;

/**
 * One step of an upgrade.
 *
 * @param subject the object, such as {@code Deployment team-a/train}
 * @param message a sentence for people
 * @param command the command, or a sentence where there is none
 */
public record UpgradeStep(StepKind kind, String subject, String message, String command) {

  /** The kinds of steps, in the order in which they are taken. */
  public enum StepKind {
    /** The objects of the cluster can only be translated while they can be read. */
    OBJECTS_TO_TRANSLATE("ObjectsToTranslate", false),
    /** A workload keeps pods with claims. */
    WORKLOAD_RUNS("WorkloadRuns", true),
    /** A job runs pods with claims, or will. */
    JOB_RUNS("JobRuns", true),
    /** A DaemonSet runs pods with claims. */
    DAEMON_SET_RUNS("DaemonSetRuns", true),
    /** No workload of Kubernetes owns this pod with claims. */
    POD_HAS_CLAIMS("PodHasClaims", true),
    /** Claims have a finalizer that only a leading controller removes. */
    NO_LEADER("NoLeader", true),
    /** A plugin still holds claims of its node. */
    CLAIMS_PREPARED("ClaimsPrepared", true),
    /** A claim is stored in v1alpha2. */
    CLAIM_STORED("ClaimStored", true),
    /** A PodSchedulingContext is stored in v1alpha2. */
    CONTEXT_STORED("ContextStored", true),
    /** A template of claims is stored in v1alpha2. */
    TEMPLATE_STORED("TemplateStored", true),
    /** A class is stored in v1alpha2. */
    CLASS_STORED("ClassStored", true),
    /** A stored pod template would lose the names of its claims. */
    REFERENCE_VANISHES("ReferenceVanishes", true),
    /** The webhook or a policy of this driver is installed. */
    GUARD_INSTALLED("GuardInstalled", false),
    /** A later kubelet does not start on the state file of this one. */
    STATE_FILE_STAYS("StateFileStays", false),
    /** The target needs a later container runtime. */
    RUNTIME_TOO_OLD("RuntimeTooOld", false),
    /** The target needs cgroup v2, which only the nodes themselves can tell. */
    CGROUPS_UNKNOWN("CgroupsUnknown", false),
    /** The server cannot list a kind, because objects of v1alpha2 are left. */
    LIST_UNREADABLE("ListUnreadable", true),
    /** A stored pod template lost the names of its claims. */
    REFERENCE_VANISHED("ReferenceVanished", true),
    /** A node whose last kubelet was of 1.30 or earlier does not come back. */
    KUBELET_DOES_NOT_START("KubeletDoesNotStart", true),
    /** The server does not serve resource.k8s.io. */
    API_OFF("ApiOff", false);

    private final String label;
    private final boolean blocking;

    StepKind(String label, boolean blocking) {
      this.label = label;
      this.blocking = blocking;
    }

    /** CamelCase; stable. */
    public String label() {
      return label;
    }

    /** Whether the API server must not be replaced before, or does not work without. */
    public boolean blocking() {
      return blocking;
    }
  }
}
