package io.gpudra.controller.gate.group;

/** Classes of groups by their size, for metrics. */
public enum GroupSize {
  UP_TO_8(8),
  UP_TO_64(64),
  UP_TO_512(512),
  UP_TO_1024(GroupQuorum.MAX_SIZE);

  private final int most;

  GroupSize(int most) {
    this.most = most;
  }

  /** The class of a group of this size, which is valid. */
  static GroupSize of(int size) {
    for (GroupSize one : values()) {
      if (size <= one.most) {
        return one;
      }
    }
    throw new IllegalArgumentException("no group has " + size + " members");
  }

  /** The upper bound. */
  public String label() {
    return Integer.toString(most);
  }
}
