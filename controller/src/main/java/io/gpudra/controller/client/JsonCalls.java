package io.gpudra.controller.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/** Unary calls with JSON text in and out; every HTTP answer is a value. Safe for many threads. */
public final class JsonCalls {
  private final HttpClients http;

  JsonCalls(HttpClients http) {
    this.http = http;
  }

  /** What the server said. */
  public record Answer(int code, String body) {

    /** Whether the code is 2xx. */
    public boolean ok() {
      return code / 100 == 2;
    }
  }

  /** How a body is to be understood. */
  public enum Form {
    JSON("application/json"),
    MERGE_PATCH("application/merge-patch+json"),
    STRATEGIC_MERGE_PATCH("application/strategic-merge-patch+json"),
    APPLY("application/apply-patch+yaml");

    private final String type;

    Form(String type) {
      this.type = type;
    }
  }

  /**
   * Reads.
   *
   * @throws IOException when no answer came
   */
  public Answer get(String path) throws IOException {
    return call(http.get(path, Map.of()));
  }

  /**
   * Writes.
   *
   * @param method POST, PUT or PATCH
   * @throws IOException when no answer came: the server may have acted, or may still
   */
  public Answer send(String method, String path, Form form, String body) throws IOException {
    return send(method, path, Map.of(), form, body);
  }

  /** As the other {@code send}, with query parameters. */
  public Answer send(String method, String path, Map<String, String> query, Form form, String body)
      throws IOException {
    // Bytes, because OkHttp would add a charset to the content type, which the server refuses.
    RequestBody bytes =
        RequestBody.create(body.getBytes(StandardCharsets.UTF_8), MediaType.get(form.type));
    return call(http.get(path, query).newBuilder().method(method, bytes).build());
  }

  private Answer call(Request request) throws IOException {
    try (Response response = http.api().getHttpClient().newCall(request).execute()) {
      return new Answer(response.code(), response.body().string());
    }
  }
}
