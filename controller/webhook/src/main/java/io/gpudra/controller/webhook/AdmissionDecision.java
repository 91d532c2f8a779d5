package io.gpudra.controller.webhook;

import com.google.common.collect.ImmutableList;
import com.google.gson.JsonArray;
import java.util.List;

/** The response to one admission request. */
sealed interface AdmissionDecision {

  /** The object is invalid. */
  int INVALID = 422;

  int FORBIDDEN = 403;

  /** The request may succeed later. */
  int UNAVAILABLE = 503;

  /**
   * The request is allowed.
   *
   * @param warnings for the client, a sentence each
   */
  record Allowed(ImmutableList<String> warnings) implements AdmissionDecision {}

  /**
   * The request is allowed, and the object is changed.
   *
   * @param patch as in RFC 6902
   */
  record Changed(JsonArray patch) implements AdmissionDecision {}

  /**
   * The request is denied.
   *
   * @param doubtful another object is the reason, and the cache may have an old version of it
   */
  record Refused(int code, String message, boolean doubtful) implements AdmissionDecision {}

  static AdmissionDecision allowed() {
    return new Allowed(ImmutableList.of());
  }

  static AdmissionDecision warned(String warning) {
    return new Allowed(ImmutableList.of(warning));
  }

  /** Allowed if there is no problem. */
  static AdmissionDecision of(List<String> problems) {
    return problems.isEmpty()
        ? allowed()
        : new Refused(INVALID, String.join("; ", problems), false);
  }
}
