package io.gpudra.controller.reason;

import static io.gpudra.controller.reason.UnsuitableReason.Distance.LASTING;
import static io.gpudra.controller.reason.UnsuitableReason.Distance.NEAR;
import static io.gpudra.controller.reason.UnsuitableReason.Distance.OUT_OF_SERVICE;
import static io.gpudra.controller.reason.UnsuitableReason.Doubt.OLD_POD;
import static io.gpudra.controller.reason.UnsuitableReason.Doubt.SURE;
import static io.gpudra.controller.reason.UnsuitableReason.Doubt.UNDECIDED;
import static io.gpudra.controller.reason.UnsuitableReason.Doubt.UNSEEN_CLASS;
import static io.gpudra.controller.reason.UnsuitableReason.Doubt.UNSEEN_NAMESPACE;
import static io.gpudra.controller.reason.UnsuitableReason.Doubt.UNSEEN_PARAMETERS;
import static io.gpudra.controller.reason.UnsuitableReason.Remedy.ADMIT;
import static io.gpudra.controller.reason.UnsuitableReason.Remedy.ATTRIBUTE;
import static io.gpudra.controller.reason.UnsuitableReason.Remedy.CHECK;
import static io.gpudra.controller.reason.UnsuitableReason.Remedy.CHOOSE;
import static io.gpudra.controller.reason.UnsuitableReason.Remedy.CREATE;
import static io.gpudra.controller.reason.UnsuitableReason.Remedy.DOCTOR;
import static io.gpudra.controller.reason.UnsuitableReason.Remedy.EXISTING;
import static io.gpudra.controller.reason.UnsuitableReason.Remedy.FIELD;
import static io.gpudra.controller.reason.UnsuitableReason.Remedy.LABEL;
import static io.gpudra.controller.reason.UnsuitableReason.Remedy.LESS;
import static io.gpudra.controller.reason.UnsuitableReason.Remedy.QUOTA;
import static io.gpudra.controller.reason.UnsuitableReason.Remedy.RELEASE;
import static io.gpudra.controller.reason.UnsuitableReason.Remedy.RENAME;
import static io.gpudra.controller.reason.UnsuitableReason.Remedy.SMALLER;
import static io.gpudra.controller.reason.UnsuitableReason.Remedy.UPDATE;
import static io.gpudra.controller.reason.UnsuitableReason.Remedy.WAIT;
import static io.gpudra.controller.reason.UnsuitableReason.Scope.CLAIM;
import static io.gpudra.controller.reason.UnsuitableReason.Scope.NODE;
import static io.gpudra.controller.reason.UnsuitableReason.Scope.POD;
import static io.gpudra.controller.reason.UnsuitableReason.Scope.WRITE;

import com.google.common.base.CaseFormat;
import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.NamespaceAudience;
import java.util.Optional;

/**
 * Why a node is unsuitable for a claim, or why the claim cannot be allocated at all. Created once,
 * where the decision is made; every event, metric and command shows this same reason.
 * Implementations build the text only when it is read.
 */
public interface UnsuitableReason {

  /** The kind, one of a fixed set. */
  Kind kind();

  /**
   * Full form, for one node: {@code 2 of 8 GPUs match memory >= 40Gi, both granted to
   * team-a/train}.
   */
  String text(NamespaceAudience reader);

  /** The same, a sentence for each problem. */
  default ImmutableList<String> sentences(NamespaceAudience reader) {
    return ImmutableList.of(text(reader));
  }

  /** The estimated bytes of the request that is kept for the text. */
  default long bytes() {
    return 0;
  }

  /**
   * The amount that is missing, for naming the nearest miss; smaller is nearer, and only comparable
   * within one claim.
   */
  default int shortfall() {
    return kind().distance().shortfall();
  }

  /**
   * The kinds. The labels of the kinds about nodes are the values of the metric label {@code
   * reason}. Code uses the properties of a kind: it does not branch over the constants.
   */
  enum Kind {
    ALL_MATCHING_IN_USE(NODE, NEAR, SURE, "", "all matching GPUs in use", RELEASE),
    TOO_FEW_FREE(NODE, NEAR, SURE, "", "too few matching GPUs free", RELEASE),
    NONE_MATCH(NODE, LASTING, SURE, "", "no GPU matches", EXISTING),
    TOO_FEW_MATCH(NODE, LASTING, SURE, "", "fewer matching GPUs than wanted", EXISTING),
    TAINTED(NODE, NEAR, SURE, "", "matching GPUs tainted", CHECK),
    NO_ROOM(NODE, NEAR, SURE, "", "no room for the devices that are wanted", RELEASE),
    NEVER_ROOM(NODE, LASTING, SURE, "", "node does not have the devices that are wanted", EXISTING),
    NOT_CONNECTED(
        NODE,
        NEAR,
        SURE,
        "TopologyUnsatisfied",
        "free GPUs not connected or alike as wanted",
        RELEASE),
    NEVER_CONNECTED(
        NODE,
        LASTING,
        SURE,
        "TopologyUnsatisfied",
        "GPUs not connected or alike as wanted",
        EXISTING),
    TOO_MANY_COMBINATIONS(NODE, NEAR, UNDECIDED, "", "too many combinations to decide", SMALLER),
    TOO_MANY_MONITORS(NODE, NEAR, SURE, "", "monitored by as many claims as may", RELEASE),
    OLD_PLUGIN(NODE, OUT_OF_SERVICE, SURE, "", "plugin too old for what is wanted", UPDATE),
    NOT_TOGETHER(NODE, NEAR, SURE, "", "not together with the pod's other claims", RELEASE),
    PARENT_ELSEWHERE(NODE, OUT_OF_SERVICE, SURE, "", "parent claim has no device there", RELEASE),
    STILL_PREPARED(NODE, NEAR, SURE, "", "claim of that name still prepared", WAIT),
    NAME_HELD(NODE, NEAR, SURE, "", "name taken by another claim", RENAME),
    HANDLE_TOO_LARGE(NODE, OUT_OF_SERVICE, SURE, "", "handle too large", SMALLER),
    HELD(NODE, NEAR, SURE, "", "claim held elsewhere", WAIT),
    ON_OFFER(NODE, NEAR, SURE, "", "offered to claims that come first", WAIT),
    NODE_KEPT(NODE, NEAR, SURE, "", "kept for a group that comes first", WAIT),
    UNREADABLE_HANDLE(NODE, OUT_OF_SERVICE, SURE, "", "a handle cannot be read", CHECK),
    INVENTORY_STALE(NODE, OUT_OF_SERVICE, SURE, "", "inventory stale", CHECK),
    PLUGIN_NOT_READY(NODE, OUT_OF_SERVICE, SURE, "", "plugin not ready", DOCTOR),
    INVENTORY_ABSENT(NODE, OUT_OF_SERVICE, SURE, "", "no inventory", DOCTOR),
    INVENTORY_IMPLAUSIBLE(NODE, OUT_OF_SERVICE, SURE, "", "inventory implausible", CHECK),
    NOT_JUDGED(NODE, OUT_OF_SERVICE, UNDECIDED, "", "node cannot be evaluated", CHECK),
    NODE_NOT_READY(NODE, OUT_OF_SERVICE, SURE, "", "node not ready", CHOOSE),
    NODE_CORDONED(NODE, OUT_OF_SERVICE, SURE, "", "node cordoned", CHOOSE),
    NODE_TAINTED(NODE, OUT_OF_SERVICE, SURE, "", "node tainted", CHOOSE),
    NODE_NOT_SELECTED(NODE, OUT_OF_SERVICE, SURE, "", "node not selected by the pod", CHOOSE),
    NODE_TOO_SMALL(NODE, OUT_OF_SERVICE, SURE, "", "node too small for the pod", CHOOSE),
    NODE_NOT_ADMITTED(NODE, OUT_OF_SERVICE, SURE, "", "node not admitted by the class", ADMIT),
    CLASS_NOT_FOUND(CLAIM, UNSEEN_CLASS, "ClassNotFound", "class not found", CREATE),
    PARAMETERS_NOT_FOUND(
        CLAIM, UNSEEN_PARAMETERS, "ParametersNotFound", "parameters not found", CREATE),
    NAMESPACE_NOT_ALLOWED(
        CLAIM, UNSEEN_NAMESPACE, "NamespaceNotAllowed", "class is not for the namespace", LABEL),
    CLASS_LIMIT(CLAIM, SURE, "ClassLimit", "more than the class allows", LESS),
    ATTRIBUTE_FORBIDDEN(
        CLAIM, SURE, "AttributeForbidden", "attribute forbidden by the class", ATTRIBUTE),
    INVALID_PARAMETERS(CLAIM, SURE, "InvalidParameters", "invalid parameters", FIELD),
    NOT_YET(POD, OLD_POD, "", "not created yet", WAIT),
    MISSING(POD, OLD_POD, "", "not found", CREATE),
    NOT_OWNED(POD, OLD_POD, "", "created for another pod", RENAME),
    ENDING(POD, SURE, "", "being deleted or deallocated", WAIT),
    TOO_MANY(POD, SURE, "NoMatchingDevice", "too many claims", SMALLER),
    NOT_SELECTED(POD, SURE, "", "the pod does not select this node", CHOOSE),
    QUOTA_EXCEEDED(POD, SURE, "QuotaExceeded", "more than a quota of the namespace allows", QUOTA),
    TIED_ELSEWHERE(POD, SURE, "", "another claim of the pod is allocated on another node", RELEASE),
    CLAIM_GONE(WRITE, SURE, "AllocationFailed", "the claim is gone", WAIT),
    CLAIM_ENDING(
        WRITE, SURE, "AllocationFailed", "the claim is being deleted or deallocated", WAIT),
    CLAIM_TAKEN(
        WRITE, SURE, "AllocationFailed", "the claim was allocated by another controller", WAIT),
    CLASS_FOREIGN(
        WRITE, SURE, "AllocationFailed", "the claim's class no longer names this driver", WAIT),
    WRITE_REJECTED(WRITE, SURE, "AllocationFailed", "the API server refuses the write", DOCTOR);

    private final String label = CaseFormat.UPPER_UNDERSCORE.to(CaseFormat.LOWER_CAMEL, name());
    private final Scope scope;
    private final Distance distance;
    private final Doubt doubt;
    private final String event;
    private final String phrase;
    private final Remedy remedy;

    /** A kind that is about no node. */
    Kind(Scope scope, Doubt doubt, String event, String phrase, Remedy remedy) {
      this(scope, OUT_OF_SERVICE, doubt, event, phrase, remedy);
    }

    Kind(Scope scope, Distance distance, Doubt doubt, String event, String phrase, Remedy remedy) {
      this.scope = scope;
      this.distance = distance;
      this.doubt = doubt;
      this.event = event;
      this.phrase = phrase;
      this.remedy = remedy;
    }

    /** The name in camelCase: {@code allMatchingInUse}. */
    public String label() {
      return label;
    }

    /** The object that it is about. */
    public Scope scope() {
      return scope;
    }

    /** How far the node is from suiting the claim. */
    public Distance distance() {
      return distance;
    }

    /** Whether no release of devices can change it. */
    public boolean lasting() {
      return distance == LASTING;
    }

    /** What may make it wrong. */
    public Doubt doubt() {
      return doubt;
    }

    /**
     * The reason of its event. Empty when kube-scheduler reports it, or when a node only has no
     * device that is free or matches.
     */
    public Optional<String> event() {
      return Optional.of(event).filter(name -> !name.isEmpty());
    }

    /** Short form for counting nodes, without numbers or names. */
    public String phrase() {
      return phrase;
    }

    /** What a user can do, with {@code <namespace>} and {@code <claim>} for the claim's names. */
    public String remedy() {
      return remedy.text;
    }
  }

  /** The object that a reason is about. */
  enum Scope {
    /** A node, which does not suit a claim. */
    NODE,
    /** The class or the parameters of a claim. */
    CLAIM,
    /** A pod and its claims, of which none is allocated then. */
    POD,
    /** The write of an allocation. */
    WRITE
  }

  /** How far a node is from suiting a claim, for naming the nearest miss. */
  enum Distance {
    /** Some devices are missing, or something else that may change soon. */
    NEAR(1),
    /** The node never has the devices: no release can help. */
    LASTING(100),
    /** The node takes no such claim, however many devices are free. */
    OUT_OF_SERVICE(1_000);

    private final int shortfall;

    Distance(int shortfall) {
      this.shortfall = shortfall;
    }

    /** The minimum shortfall; smaller than each of a greater distance. */
    public int shortfall() {
      return shortfall;
    }
  }

  /** What may make a reason wrong. */
  enum Doubt {
    /** Nothing. */
    SURE,
    /** No decision was reached. */
    UNDECIDED,
    /** The pod was read too early, or is gone. */
    OLD_POD,
    /** The class may exist unseen. */
    UNSEEN_CLASS,
    /** The parameters may exist unseen. */
    UNSEEN_PARAMETERS,
    /** The labels of the namespace may be unseen. */
    UNSEEN_NAMESPACE
  }

  /** What a user can do. */
  enum Remedy {
    RELEASE("find claims to release: kubectl gpudra explain -n <namespace> <claim>"),
    EXISTING("request devices that exist: kubectl gpudra nodes -o wide"),
    SMALLER("request fewer devices, or fewer kinds of device"),
    ADMIT("use another class, or ask an administrator to admit the node"),
    LESS("request less, or use another class"),
    ATTRIBUTE("remove the attribute, or use a class that allows it"),
    FIELD("correct the field: kubectl edit gpuclaimparameters -n <namespace>"),
    CREATE("create the object, or correct the reference"),
    LABEL("use another class, or add the labels to the namespace that the class requires"),
    RENAME("use another name, or delete the claim that has it"),
    WAIT("wait: it ends by itself"),
    CHECK("find the fault of the node: kubectl gpudra check"),
    DOCTOR("find the fault of the driver: kubectl gpudra doctor"),
    UPDATE("update the driver on the node"),
    QUOTA("release claims of the namespace, or ask for more: kubectl get gpuquotas -n <namespace>"),
    CHOOSE("use another node, or ask an administrator: kubectl get nodes");

    private final String text;

    Remedy(String text) {
      this.text = text;
    }
  }
}
