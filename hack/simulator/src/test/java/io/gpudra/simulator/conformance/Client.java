package io.gpudra.simulator.conformance;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.gpudra.simulator.api.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A client with nothing but the JDK: a test must not share code with what it judges. */
public record Client(HttpClient http, URI server) {
  // A watch answers many.
  private static final ObjectReader FIRST =
      Json.MAPPER.reader().without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  public static Client of(URI server) {
    return new Client(HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build(), server);
  }

  static Client of(ServerAccess access) {
    HttpClient.Builder http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
    return new Client(http.sslContext(access.tls()).build(), access.url());
  }

  /** An answer; {@code json} is its first value, missing when there is none. */
  public record Answer(int code, String text, JsonNode json, List<String> warnings) {

    public String message() {
      return Json.text(json, "message");
    }

    public String at(String path) {
      return Json.text(json, path);
    }

    public String rv() {
      return at("metadata.resourceVersion");
    }
  }

  public Answer get(String path) {
    return send("GET", path, "", "");
  }

  public Answer post(String path, String body) {
    return send("POST", path, "application/json", body);
  }

  public Answer put(String path, Object body) {
    return send("PUT", path, "application/json", body.toString());
  }

  public Answer delete(String path) {
    return send("DELETE", path, "", "");
  }

  public Answer patch(String type, String path, String body) {
    return send("PATCH", path, type, body);
  }

  public Answer merge(String path, String body) {
    return patch("application/merge-patch+json", path, body);
  }

  public Answer apply(String path, String body) {
    return patch("application/apply-patch+yaml", path, body);
  }

  public Answer send(String method, String path, String type, String body) {
    return send(method, path, type, body, "application/json");
  }

  public Answer send(String method, String path, String type, String body, String accept) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.resolve(path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .header("Accept", accept)
            .header("User-Agent", "conformance/1");
    if (!type.isEmpty()) {
      request.header("Content-Type", type);
    }
    try {
      HttpResponse<String> response =
          http.send(request.build(), HttpResponse.BodyHandlers.ofString());
      String text = response.body();
      JsonNode json = text.startsWith("{") ? FIRST.readTree(text) : MissingNode.getInstance();
      return new Answer(response.statusCode(), text, json, response.headers().allValues("Warning"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Opens a watch; reading blocks until an event comes. */
  public Events watch(String path) {
    try {
      HttpRequest request =
          HttpRequest.newBuilder(server.resolve(path)).header("User-Agent", "watcher/1").build();
      HttpResponse<InputStream> response =
          http.send(request, HttpResponse.BodyHandlers.ofInputStream());
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
      return new Events(response.statusCode(), lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** An open watch. */
  public record Events(int code, BufferedReader lines) implements AutoCloseable {

    /** The next event; missing at the end of the watch. */
    public JsonNode next() {
      try {
        String line = lines.readLine();
        return line == null ? MissingNode.getInstance() : Json.MAPPER.readTree(line);
      } catch (IOException e) {
        return MissingNode.getInstance();
      }
    }

    /** Type, name and resourceVersion of the next event. */
    public String brief() {
      JsonNode event = next();
      return event.path("type").asText()
          + " "
          + Json.text(event, "object.metadata.name")
          + "@"
          + Json.text(event, "object.metadata.resourceVersion");
    }

    @Override
    public void close() throws IOException {
      lines.close();
    }
  }
}
