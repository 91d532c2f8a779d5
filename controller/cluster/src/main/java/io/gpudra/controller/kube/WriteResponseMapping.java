package io.gpudra.controller.kube;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.dra.WriteOutcome;

/**
 * HTTP response → outcome of a write. The outcome is UNCLEAR unless the response proves that
 * nothing was stored. 401 (a rotated token), 429 and 5xx are resolved by sending the write again.
 */
final class WriteResponseMapping {
  private static final JsonMapper JSON = new JsonMapper();

  private WriteResponseMapping() {}

  static WriteOutcome.Kind kind(Answer answer) {
    if (answer.ok()) {
      return WriteOutcome.Kind.DONE;
    }
    return switch (answer.code()) {
      case 409 -> WriteOutcome.Kind.CONFLICT;
      case 404 -> WriteOutcome.Kind.GONE;
      case 422 -> aboutUid(answer) ? WriteOutcome.Kind.GONE : WriteOutcome.Kind.REJECTED;
      case 400, 403, 405, 406, 413, 415 -> WriteOutcome.Kind.REJECTED;
      default -> WriteOutcome.Kind.UNCLEAR;
    };
  }

  /**
   * Whether the UID was rejected: a patch with another UID than the stored object counts as a
   * change.
   */
  private static boolean aboutUid(Answer answer) {
    try {
      for (JsonNode cause : JSON.readTree(answer.body()).at("/details/causes")) {
        if (cause.path("field").asText().equals("metadata.uid")) {
          return true;
        }
      }
      return false;
    } catch (JsonProcessingException e) {
      return false;
    }
  }
}
