package io.gpudra.controller.dra.scheduling;

import io.gpudra.controller.dra.queue.PublishHistory;

/**
 * Decides when the {@link UnsuitableNodesDiff} is published to the scheduler.
 *
 * @param now whether to publish now; otherwise it is held back
 * @param requeueSoon whether to requeue in a second instead of at the next poll
 */
record PublishPolicy(boolean now, boolean requeueSoon) {

  /**
   * While the scheduler has to select another node anyway, unsuitable nodes are published only if
   * they affect its choice, and at most once a second, since a burst brings more all the time. The
   * published nodes stay up to date while the scheduler is about to use them: it backs off longer
   * after each refusal, so it should not select a node whose devices were allocated meanwhile.
   *
   * @param selected whether the scheduler has selected a node
   * @param hopeful whether some node that the scheduler considers suits the pod
   */
  static PublishPolicy of(
      UnsuitableNodesDiff unsuitableNodesDiff,
      PublishHistory history,
      boolean selected,
      boolean hopeful) {
    boolean now = now(unsuitableNodesDiff, history);
    boolean heldBack = unsuitableNodesDiff != UnsuitableNodesDiff.NONE && !now;
    boolean selectsSoon = selected && (now || history.sinceLastAttempt());
    return new PublishPolicy(now, selectsSoon && (heldBack || hopeful));
  }

  private static boolean now(UnsuitableNodesDiff unsuitableNodesDiff, PublishHistory history) {
    return switch (unsuitableNodesDiff) {
      case NONE -> false;
      case GOOD, BAD_FOR_LATER -> history.mayPublishSuitable();
      case BAD_FOR_NEXT -> history.mayPublishSuitable() || !history.lately();
      case BAD_NOW -> true;
    };
  }
}
