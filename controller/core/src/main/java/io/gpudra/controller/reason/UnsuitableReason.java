package io.gpudra.controller.reason;

import static io.gpudra.controller.reason.UnsuitableReason.Distance.LASTING;
import static io.gpudra.controller.reason.UnsuitableReason.Distance.NEAR;
import static io.gpudra.controller.reason.UnsuitableReason.Distance.OUT_OF_SERVICE;
import static io.gpudra.controller.reason.UnsuitableReason.Doubt.SURE;
import static io.gpudra.controller.reason.UnsuitableReason.Doubt.UNDECIDED;

import com.google.common.base.CaseFormat;
import io.gpudra.crds.model.NamespaceAudience;
import java.util.Optional;

/**
 * Why a claim cannot have a node. Made once, where the decision is made; every event, metric and
 * command shows this same reason. Implementations build text only when asked.
 */
public interface UnsuitableReason {

  /** The cause, one of a fixed set. */
  Kind kind();

  /**
   * Full form for one node: {@code 2 of 8 GPUs match memory >= 40Gi, both granted to team-a/train}.
   */
  String text(NamespaceAudience reader);

  /**
   * How much is missing, for naming the nearest miss; smaller is nearer, and only comparable within
   * one claim.
   */
  default int shortfall() {
    return kind().distance().shortfall();
  }

  /** The causes. Their labels are the fixed set of values of the metric label {@code reason}. */
  enum Kind {
    ALL_MATCHING_IN_USE(NEAR, SURE, "", "all matching GPUs in use"),
    TOO_FEW_FREE(NEAR, SURE, "", "too few matching GPUs free"),
    NONE_MATCH(LASTING, SURE, "", "no GPU matches"),
    TOO_FEW_MATCH(LASTING, SURE, "", "fewer matching GPUs than wanted"),
    TAINTED(NEAR, SURE, "", "matching GPUs tainted"),
    NO_ROOM(NEAR, SURE, "", "no room for the devices that are wanted"),
    NEVER_ROOM(LASTING, SURE, "", "node does not have the devices that are wanted"),
    NOT_CONNECTED(NEAR, SURE, "TopologyUnsatisfied", "free GPUs not connected or alike as wanted"),
    NEVER_CONNECTED(LASTING, SURE, "TopologyUnsatisfied", "GPUs not connected or alike as wanted"),
    TOO_MANY_COMBINATIONS(NEAR, UNDECIDED, "", "too many combinations to decide"),
    OLD_PLUGIN(OUT_OF_SERVICE, SURE, "", "plugin too old for what is wanted"),
    NOT_TOGETHER(NEAR, SURE, "", "not together with the pod's other claims"),
    PARENT_ELSEWHERE(OUT_OF_SERVICE, SURE, "", "parent claim has no device there"),
    STILL_PREPARED(NEAR, SURE, "", "claim of that name still prepared"),
    NAME_HELD(NEAR, SURE, "", "name taken by another claim"),
    HANDLE_TOO_LARGE(OUT_OF_SERVICE, SURE, "", "handle too large"),
    HELD(NEAR, SURE, "", "claim held elsewhere"),
    ON_OFFER(NEAR, SURE, "", "offered to claims that wait longer"),
    UNREADABLE_HANDLE(OUT_OF_SERVICE, SURE, "", "a handle cannot be read"),
    INVENTORY_STALE(OUT_OF_SERVICE, SURE, "", "inventory stale"),
    PLUGIN_NOT_READY(OUT_OF_SERVICE, SURE, "", "plugin not ready"),
    INVENTORY_ABSENT(OUT_OF_SERVICE, SURE, "", "no inventory"),
    INVENTORY_IMPLAUSIBLE(OUT_OF_SERVICE, SURE, "", "inventory implausible"),
    NOT_JUDGED(OUT_OF_SERVICE, UNDECIDED, "", "node cannot be evaluated"),
    NODE_NOT_READY(OUT_OF_SERVICE, SURE, "", "node not ready"),
    NODE_CORDONED(OUT_OF_SERVICE, SURE, "", "node cordoned"),
    NODE_TAINTED(OUT_OF_SERVICE, SURE, "", "node tainted"),
    NODE_NOT_ADMITTED(OUT_OF_SERVICE, SURE, "", "node not admitted by the class");

    private final String label = CaseFormat.UPPER_UNDERSCORE.to(CaseFormat.LOWER_CAMEL, name());
    private final Distance distance;
    private final Doubt doubt;
    private final String event;
    private final String phrase;

    Kind(Distance distance, Doubt doubt, String event, String phrase) {
      this.distance = distance;
      this.doubt = doubt;
      this.event = event;
      this.phrase = phrase;
    }

    /** The name in camelCase: {@code allMatchingInUse}. */
    public String label() {
      return label;
    }

    /** How far the node is from suiting the claim. */
    public Distance distance() {
      return distance;
    }

    /** Whether no release can change it. */
    public boolean lasting() {
      return distance == LASTING;
    }

    /** What may make it wrong. */
    public Doubt doubt() {
      return doubt;
    }

    /**
     * The reason of the event, when this is the nearest miss and says more than that no device is
     * free or matches.
     */
    public Optional<String> event() {
      return Optional.of(event).filter(name -> !name.isEmpty());
    }

    /** Short form for counting nodes, without numbers or names. */
    public String phrase() {
      return phrase;
    }
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

    /** The least shortfall; smaller than each of a greater distance. */
    public int shortfall() {
      return shortfall;
    }
  }

  /** What may make a reason wrong. */
  enum Doubt {
    /** Nothing. */
    SURE,
    /** No decision was reached. */
    UNDECIDED
  }
}
