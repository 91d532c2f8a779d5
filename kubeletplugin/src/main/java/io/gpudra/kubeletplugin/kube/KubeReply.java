package io.gpudra.kubeletplugin.kube;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * An answer of the API server.
 *
 * @param body of an OK reply; missing node otherwise
 * @param problem a sentence for people when the reply is not OK
 */
record KubeReply(Kind kind, JsonNode body, String problem) {

  enum Kind {
    OK,
    NOT_FOUND,
    /** The object exists already or was changed by another client. */
    CONFLICT,
    /** Repeating the same request will not help soon. */
    REFUSED,
    /** The object exists and is larger than the limit of this process. */
    TOO_LARGE,
    /** No answer, or the server cannot serve now: whether the request had an effect is unknown. */
    UNCLEAR
  }

  boolean is(Kind other) {
    return kind == other;
  }
}
