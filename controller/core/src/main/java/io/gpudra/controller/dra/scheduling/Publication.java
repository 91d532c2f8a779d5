package io.gpudra.controller.dra.scheduling;

/**
 * When the scheduler is told its {@link News}.
 *
 * @param now else they are held back
 * @param lookAgainSoon within a second, not only at the next poll
 */
record Publication(boolean now, boolean lookAgainSoon) {

  /**
   * What a pod was told, and what it may be told.
   *
   * @param lately within a second
   * @param sinceLastAttempt within the longest time between two attempts of the scheduler
   * @param mayHearGoodNews good news for everybody at once would make them race for the same
   *     devices
   */
  record Told(boolean lately, boolean sinceLastAttempt, boolean mayHearGoodNews) {}

  /**
   * While the scheduler must select another node anyhow, bad news is told when it matters to what
   * it will select, once a second at most: in a burst there is more each moment. And what was told
   * is kept true while it is about to be used: the scheduler waits longer after each refusal, so it
   * had better not select a node that was taken meanwhile.
   *
   * @param selected the scheduler has selected a node
   * @param hopeful not all nodes that the scheduler considers refuse the pod
   */
  static Publication of(News news, Told told, boolean selected, boolean hopeful) {
    boolean now = now(news, told);
    boolean heldBack = news != News.NONE && !now;
    boolean selectsSoon = selected && (now || told.sinceLastAttempt());
    return new Publication(now, selectsSoon && (heldBack || hopeful));
  }

  private static boolean now(News news, Told told) {
    return switch (news) {
      case NONE -> false;
      case GOOD, BAD_FOR_LATER -> told.mayHearGoodNews();
      case BAD_FOR_NEXT -> told.mayHearGoodNews() || !told.lately();
      case BAD_NOW -> true;
    };
  }
}
