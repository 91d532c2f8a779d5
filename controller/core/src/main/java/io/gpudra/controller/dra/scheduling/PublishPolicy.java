package io.gpudra.controller.dra.scheduling;

/**
 * Decides when {@link UnsuitableNodesDiff} are published to the scheduler.
 *
 * @param now whether to publish now; otherwise they are held back
 * @param lookAgainSoon whether to requeue in a second instead of at the next poll
 */
record PublishPolicy(boolean now, boolean lookAgainSoon) {

  /**
   * What was published for a pod, and what may be.
   *
   * @param lately whether something was published within a second
   * @param sinceLastAttempt the same, within the scheduler's longest back-off
   * @param mayHearGoodNews whether suitable nodes may be published; doing so for all pods at once
   *     would make them race for the same devices
   */
  record Told(boolean lately, boolean sinceLastAttempt, boolean mayHearGoodNews) {}

  /**
   * While the scheduler has to select another node anyway, unsuitable nodes are published only if
   * they affect its choice, and at most once a second, since a burst brings more all the time. The
   * published nodes stay up to date while the scheduler is about to use them: it backs off longer
   * after each refusal, so it should not select a node that was taken meanwhile.
   *
   * @param selected the scheduler has selected a node
   * @param hopeful not all nodes that the scheduler considers refuse the pod
   */
  static PublishPolicy of(
      UnsuitableNodesDiff unsuitableNodesDiff, Told told, boolean selected, boolean hopeful) {
    boolean now = now(unsuitableNodesDiff, told);
    boolean heldBack = unsuitableNodesDiff != UnsuitableNodesDiff.NONE && !now;
    boolean selectsSoon = selected && (now || told.sinceLastAttempt());
    return new PublishPolicy(now, selectsSoon && (heldBack || hopeful));
  }

  private static boolean now(UnsuitableNodesDiff unsuitableNodesDiff, Told told) {
    return switch (unsuitableNodesDiff) {
      case NONE -> false;
      case GOOD, BAD_FOR_LATER -> told.mayHearGoodNews();
      case BAD_FOR_NEXT -> told.mayHearGoodNews() || !told.lately();
      case BAD_NOW -> true;
    };
  }
}
