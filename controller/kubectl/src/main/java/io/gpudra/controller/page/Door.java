package io.gpudra.controller.page;

import io.gpudra.process.Crowd;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpRequest;
import java.time.Duration;

/**
 * Where connections are until they are answered. Those that the gate has not let in are a crowd of
 * their own, so that other users of the machine keep no browser out. For the event loop's thread
 * only.
 */
final class Door {

  /** Those who ask for explanations wait for each other. */
  private static final Duration LONGEST_ANSWER = Duration.ofMinutes(2);

  private final Gate gate;
  private final Crowd outside;
  private final Crowd inside;

  /**
   * Nobody has come.
   *
   * @param most of those outside, and of those inside
   * @param silence in which a request has to come
   */
  Door(Gate gate, int most, Duration silence, EventLoop loop) {
    this.gate = gate;
    this.outside = new Crowd(most, silence, loop);
    this.inside = new Crowd(most, LONGEST_ANSWER, loop);
  }

  void came(Channel visitor) {
    outside.enter(visitor);
  }

  Gate.Verdict judge(Channel visitor, HttpRequest request) {
    Gate.Verdict verdict = gate.judge(request);
    if (verdict == Gate.Verdict.IN) {
      outside.leave(visitor);
      inside.enter(visitor);
    }
    return verdict;
  }

  /** It follows what happens, for as long as it likes. */
  void stays(Channel window) {
    inside.leave(window);
  }

  String setCookie() {
    return gate.setCookie();
  }
}
