package io.gpudra.controller.app;

import io.gpudra.controller.client.election.LeaderElection;
import io.gpudra.controller.metrics.GpuSeconds;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The leadership of this process; also hands over the time until which GPU time is counted. */
record LeaderTerm(LeadershipState leadershipState, GpuSeconds seconds)
    implements LeaderElection.Terms {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderTerm.class);

  @Override
  public void begun(long epoch) {
    leadershipState.begun(epoch);
  }

  @Override
  public void lost(String why) {
    leadershipState.lost(why);
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
  public void left(String word) {
    seconds.left(word);
  }
}
