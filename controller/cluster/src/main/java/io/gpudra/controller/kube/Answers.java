package io.gpudra.controller.kube;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.dra.WriteOutcome;

/**
 * HTTP answer → outcome of a write. Only what tells for certain that nothing was stored is anything
 * but UNCLEAR: 401 (a token just rotated), 429 and 5xx end when the write is sent again.
 */
final class Answers {
  private static final JsonMapper JSON = new JsonMapper();

  private Answers() {}

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

  /** A patch that names another UID than the stored object's is refused as a change of it. */
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
