package io.gpudra.controller.app;

import io.gpudra.controller.client.election.LeaderElection;
import io.gpudra.controller.metrics.GpuSeconds;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leadership of this process: it begins once, and ends with the process. Also hands over the time
 * until which GPU time is counted.
 */
final class LeadershipState implements LeaderElection.Terms {
  private static final Logger LOG = LoggerFactory.getLogger(LeadershipState.class);

  private final Consumer<String> halt;
  private final GpuSeconds seconds;
  private final CompletableFuture<Boolean> begun = new CompletableFuture<>();
  private volatile long epoch;

  /**
   * A process that does not lead yet.
   *
   * @param halt ends the process at once, since another leader may write already
   */
  LeadershipState(Consumer<String> halt, GpuSeconds seconds) {
    this.halt = halt;
    this.seconds = seconds;
  }

  @Override
  public void begun(long nowEpoch) {
    epoch = nowEpoch;
    begun.complete(true);
  }

  @Override
  public void lost(String why) {
    halt.accept(why);
  }

  @Override
  public void inherit(String word) {
    LOG.info("counting GPU time since={}", seconds.begin(word));
  }

  @Override
  public String legacy() {
    return seconds.word();
  }

  @Override
  public void wordStored(String word) {
    seconds.wordStored(word);
  }

  /** Waits for leadership; false if it will never begin. */
  boolean await() {
    return begun.join();
  }

  /** Prevents leadership from beginning, since the process is stopping. */
  void giveUp() {
    begun.complete(false);
  }

  /** The fence's epoch; 0 before leadership begins, when nothing is allocated. */
  long epoch() {
    return epoch;
  }
}
