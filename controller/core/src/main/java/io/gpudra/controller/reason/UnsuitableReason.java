package io.gpudra.controller.reason;

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
  int shortfall();

  /** The causes. Their labels are the fixed set of values of the metric label {@code reason}. */
  enum Kind {
    ALL_MATCHING_IN_USE("all matching GPUs in use"),
    TOO_FEW_FREE("too few matching GPUs free"),
    NONE_MATCH("no GPU matches"),
    TOO_FEW_MATCH("fewer matching GPUs than wanted"),
    TAINTED("matching GPUs tainted"),
    NO_ROOM("no room for the devices that are wanted"),
    NEVER_ROOM("node does not have the devices that are wanted"),
    NOT_CONNECTED("free GPUs not connected or alike as wanted"),
    NEVER_CONNECTED("GPUs not connected or alike as wanted"),
    TOO_MANY_COMBINATIONS("too many combinations to decide"),
    OLD_PLUGIN("plugin too old for what is wanted"),
    NOT_TOGETHER("not together with the pod's other claims"),
    PARENT_ELSEWHERE("parent claim has no device there"),
    STILL_PREPARED("claim of that name still prepared"),
    NAME_HELD("name taken by another claim"),
    HANDLE_TOO_LARGE("handle too large"),
    HELD("claim held elsewhere"),
    ON_OFFER("offered to claims that wait longer"),
    UNREADABLE_HANDLE("a handle cannot be read"),
    INVENTORY_STALE("inventory stale"),
    PLUGIN_NOT_READY("plugin not ready"),
    INVENTORY_ABSENT("no inventory"),
    INVENTORY_IMPLAUSIBLE("inventory implausible"),
    NOT_JUDGED("node cannot be evaluated"),
    NODE_NOT_READY("node not ready"),
    NODE_CORDONED("node cordoned"),
    NODE_TAINTED("node tainted"),
    NODE_NOT_ADMITTED("node not admitted by the class");

    private final String label = CaseFormat.UPPER_UNDERSCORE.to(CaseFormat.LOWER_CAMEL, name());
    private final String phrase;

    Kind(String phrase) {
      this.phrase = phrase;
    }

    /** The name in camelCase: {@code allMatchingInUse}. */
    public String label() {
      return label;
    }

    /** Short form for counting nodes, without numbers or names. */
    public String phrase() {
      return phrase;
    }

    /**
     * Whether a device given back could never change the answer: the node has no device that
     * matches at all.
     */
    public boolean lasting() {
      return switch (this) {
        case NONE_MATCH, TOO_FEW_MATCH, NEVER_ROOM, NEVER_CONNECTED -> true;
        default -> false;
      };
    }

    /**
     * The reason of the event when this is the nearest miss and says more than that no device is
     * free or matches.
     */
    public Optional<String> event() {
      return switch (this) {
        case NOT_CONNECTED, NEVER_CONNECTED -> Optional.of("TopologyUnsatisfied");
        default -> Optional.empty();
      };
    }
  }
}
