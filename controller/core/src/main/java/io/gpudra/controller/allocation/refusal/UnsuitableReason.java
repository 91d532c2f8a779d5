package io.gpudra.controller.allocation.refusal;

/**
 * The reasons why a node does not fit a claim. Their labels are the fixed set of values of the
 * metric label {@code reason}.
 */
public enum UnsuitableReason {
  ALL_IN_USE("allMatchingInUse", "all matching GPUs in use"),
  TOO_FEW_FREE("tooFewFree", "too few matching GPUs free"),
  NONE_MATCH("noneMatch", "no GPU matches"),
  TOO_FEW_MATCH("tooFewMatch", "fewer matching GPUs than wanted"),
  TAINTED("tainted", "matching GPUs tainted"),
  NO_ROOM("noRoom", "no room for the devices that are wanted"),
  NEVER_ROOM("neverRoom", "node does not have the devices that are wanted"),
  NOT_CONNECTED("notConnected", "free GPUs not connected or alike as wanted"),
  NEVER_CONNECTED("neverConnected", "GPUs not connected or alike as wanted"),
  TOO_MANY_COMBINATIONS("tooManyCombinations", "too many combinations to decide"),
  OLD_PLUGIN("oldPlugin", "plugin too old for what is wanted"),
  NOT_TOGETHER("notTogether", "not together with the pod's other claims"),
  PARENT_ELSEWHERE("parentElsewhere", "parent claim has no device there"),
  STILL_PREPARED("stillPrepared", "claim of that name still prepared"),
  NAME_HELD("nameHeld", "name taken by another claim"),
  HANDLE_TOO_LARGE("handleTooLarge", "handle too large"),
  HELD("held", "claim held elsewhere"),
  ON_OFFER("onOffer", "offered to claims that wait longer"),
  UNREADABLE_HANDLE("unreadableHandle", "a handle cannot be read"),
  INVENTORY_STALE("inventoryStale", "inventory stale"),
  PLUGIN_NOT_READY("pluginNotReady", "plugin not ready"),
  INVENTORY_ABSENT("inventoryAbsent", "no inventory"),
  INVENTORY_IMPLAUSIBLE("inventoryImplausible", "inventory implausible"),
  NOT_JUDGED("notJudged", "node cannot be evaluated"),
  NODE_NOT_READY("nodeNotReady", "node not ready"),
  NODE_CORDONED("nodeCordoned", "node cordoned"),
  NODE_TAINTED("nodeTainted", "node tainted"),
  NODE_NOT_ADMITTED("nodeNotAdmitted", "node not admitted by the class");

  private final String label;
  private final String phrase;

  UnsuitableReason(String label, String phrase) {
    this.label = label;
    this.phrase = phrase;
  }

  /** The label in metrics. */
  public String label() {
    return label;
  }

  /** The text for users. */
  public String phrase() {
    return phrase;
  }

  /** Whether no release can change it. */
  public boolean lasting() {
    return switch (this) {
      case NONE_MATCH, TOO_FEW_MATCH, NEVER_ROOM, NEVER_CONNECTED -> true;
      default -> false;
    };
  }
}
