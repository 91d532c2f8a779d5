package io.gpudra.controller.dashboard;

import io.gpudra.process.ConnectionLimiter;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpRequest;
import java.time.Duration;

/**
 * Limits the open connections. Unauthenticated and authenticated connections have separate limits,
 * so that other users of the machine cannot lock the browser out. For the event loop's thread only.
 */
final class PendingConnections {

  /** Explanations are computed one after the other. */
  private static final Duration MAX_ANSWER = Duration.ofMinutes(2);

  private final TokenAuth tokenAuth;
  private final ConnectionLimiter outside;
  private final ConnectionLimiter inside;

  /**
   * No connections yet.
   *
   * @param most maximum number of unauthenticated, and of authenticated connections
   * @param silence time limit for the request
   */
  PendingConnections(TokenAuth tokenAuth, int most, Duration silence, EventLoop loop) {
    this.tokenAuth = tokenAuth;
    this.outside = new ConnectionLimiter(most, silence, loop);
    this.inside = new ConnectionLimiter(most, MAX_ANSWER, loop);
  }

  void came(Channel visitor) {
    outside.add(visitor);
  }

  TokenAuth.Verdict authenticate(Channel visitor, HttpRequest request) {
    TokenAuth.Verdict verdict = tokenAuth.authenticate(request);
    if (verdict == TokenAuth.Verdict.IN) {
      outside.remove(visitor);
      inside.add(visitor);
    }
    return verdict;
  }

  /** The connection receives events and has no time limit. */
  void stays(Channel window) {
    inside.remove(window);
  }

  String setCookie() {
    return tokenAuth.setCookie();
  }
}
