package io.gpudra.controller.client;

import com.google.common.base.Ascii;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
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

  /**
   * The answer of the server.
   *
   * @param body the body; truncated for a refusal
   */
  public record Answer(int code, String body) {
    private static final int MAX_REFUSAL = 64 << 10;

    /** A webhook or the quota of a tenant may send the same text each second. */
    private static final int MAX_LOGGED = 512;

    /** The answer of a response that is not ok. */
    public static Answer refusal(Response response) throws IOException {
      return new Answer(response.code(), response.peekBody(MAX_REFUSAL).string());
    }

    /** For a log. */
    @Override
    public String toString() {
      return code + " " + Ascii.truncate(body, MAX_LOGGED, "…");
    }

    /** Whether the code is 2xx. */
    public boolean ok() {
      return code / 100 == 2;
    }
  }

  /** The content type of a body. */
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
   * Reads an object.
   *
   * @throws IOException when no answer came
   */
  public Answer get(String path) throws IOException {
    return call(http.get(path, Map.of()));
  }

  /** Receives the body of an answer. */
  public interface Content {
    /** Reads the body. */
    void read(InputStream body) throws IOException;
  }

  /**
   * Reads an answer that may be large.
   *
   * @return without a body when it is ok
   * @throws IOException when no whole answer came
   */
  public Answer read(String path, Content content) throws IOException {
    try (Response response = answer(http.get(path, Map.of()))) {
      if (!response.isSuccessful()) {
        return Answer.refusal(response);
      }
      content.read(response.body().byteStream());
      return new Answer(response.code(), "");
    }
  }

  /**
   * Writes an object.
   *
   * @param method POST, PUT or PATCH
   * @throws IOException when no answer came: the server may have acted, or may still
   */
  public Answer send(String method, String path, Form form, String body) throws IOException {
    return call(request(method, path, Map.of(), form, body));
  }

  /**
   * Writes an object that other clients may have made arbitrarily large; drops the stored object.
   *
   * @param method POST, PUT or PATCH
   * @return without a body when it is ok
   * @throws IOException when no answer came: the server may have acted, or may still
   */
  public Answer write(String method, String path, Map<String, String> query, Form form, String body)
      throws IOException {
    try (Response response = answer(request(method, path, query, form, body))) {
      if (!response.isSuccessful()) {
        return Answer.refusal(response);
      }
      response.body().byteStream().transferTo(OutputStream.nullOutputStream());
      return new Answer(response.code(), "");
    }
  }

  private Request request(
      String method, String path, Map<String, String> query, Form form, String body)
      throws IOException {
    // Bytes, because OkHttp would add a charset to the content type, which the server refuses.
    RequestBody bytes =
        RequestBody.create(body.getBytes(StandardCharsets.UTF_8), MediaType.get(form.type));
    return http.get(path, query).newBuilder().method(method, bytes).build();
  }

  private Answer call(Request request) throws IOException {
    try (Response response = answer(request)) {
      return response.isSuccessful()
          ? new Answer(response.code(), response.body().string())
          : Answer.refusal(response);
    }
  }

  private Response answer(Request request) throws IOException {
    return http.api().getHttpClient().newCall(request).execute();
  }
}
