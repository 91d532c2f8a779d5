package io.gpudra.controller.webhook;

import com.google.common.collect.ImmutableList;
import java.util.List;

/** What the API server is told about one request. */
sealed interface Decision {

  /** For people who send what cannot be. */
  int INVALID = 422;

  int FORBIDDEN = 403;

  /** It may be allowed later. */
  int UNAVAILABLE = 503;

  /**
   * It is stored.
   *
   * @param warnings shown to whoever sent it, a sentence each
   */
  record Allowed(ImmutableList<String> warnings) implements Decision {}

  /**
   * It is not stored.
   *
   * @param doubtful an object beside the one that is sent is to blame, and may be newer than what
   *     is known of it
   */
  record Refused(int code, String message, boolean doubtful) implements Decision {}

  static Decision allowed() {
    return new Allowed(ImmutableList.of());
  }

  static Decision warned(String warning) {
    return new Allowed(ImmutableList.of(warning));
  }

  /** Allowed when there is no problem. */
  static Decision of(List<String> problems) {
    return problems.isEmpty()
        ? allowed()
        : new Refused(INVALID, String.join("; ", problems), false);
  }
}
