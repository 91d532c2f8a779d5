package io.gpudra.simulator.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Json;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A complete answer. */
record Reply(int code, String contentType, ByteBuffer body, List<String> warnings) {

  static Reply json(int code, JsonNode body) {
    return new Reply(code, "application/json", ByteBuffer.wrap(bytes(body)), List.of());
  }

  static Reply error(ApiError error) {
    return json(error.code(), error.status());
  }

  static Reply text(int code, String body) {
    ByteBuffer bytes = StandardCharsets.UTF_8.encode(body);
    return new Reply(code, "text/plain; charset=utf-8", bytes, List.of());
  }

  /** What a real server says where there is nothing at all. */
  static Reply unknownPath() {
    return text(404, "404 page not found\n");
  }

  Reply withWarnings(List<String> texts) {
    return new Reply(code, contentType, body, texts);
  }

  static byte[] bytes(JsonNode node) {
    try {
      return Json.MAPPER.writeValueAsBytes(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
