package io.gpudra.kubeletplugin.kube;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.filter.FilteringParserDelegate;
import com.fasterxml.jackson.core.filter.TokenFilter;
import com.fasterxml.jackson.core.filter.TokenFilter.Inclusion;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.google.common.io.ByteStreams;
import com.google.common.io.CountingInputStream;
import io.gpudra.kubeletplugin.kube.KubeReply.Kind;
import java.io.IOException;
import java.io.InputStream;
import okhttp3.Response;
import okhttp3.ResponseBody;

/**
 * Reads answers as they arrive and keeps only the requested fields: any user may make a claim as
 * large as the server accepts, and this process has little memory.
 */
final class ResponseReader {

  /** The limit, above the size of any object that a server can store: etcd takes 1.5 MiB. */
  static final long MAX_BYTES = 4 << 20;

  // Users choose the names, so a table of them would only grow.
  private static final JsonMapper JSON =
      new JsonMapper(
          JsonFactory.builder()
              .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
              .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
              .build());

  private static final MemberFilter STATUS =
      MemberFilter.of("message").and("details", MemberFilter.of("name"));

  private ResponseReader() {}

  static KubeReply read(String request, Response response, TokenFilter wanted) throws IOException {
    if (!response.isSuccessful()) {
      JsonNode status = status(response);
      return failed(
          kind(response.code(), status),
          "%s: %d %s".formatted(request, response.code(), status.path("message").asText("")));
    }
    try (CountingInputStream body = body(response)) {
      try {
        return new KubeReply(Kind.OK, parse(body, wanted), "");
      } catch (JsonProcessingException e) {
        if (body.getCount() < MAX_BYTES) {
          throw e;
        }
        return failed(
            Kind.TOO_LARGE,
            "%s: more than the %d bytes that are read".formatted(request, MAX_BYTES));
      }
    }
  }

  private static Kind kind(int code, JsonNode status) {
    return switch (code) {
      // A server that does not serve the kind at all reports nothing about any object.
      case 404 -> status.at("/details/name").isTextual() ? Kind.NOT_FOUND : Kind.UNCLEAR;
      case 409 -> Kind.CONFLICT;
      case 408, 429 -> Kind.UNCLEAR;
      default -> code >= 500 ? Kind.UNCLEAR : Kind.REFUSED;
    };
  }

  static KubeReply failed(Kind kind, String problem) {
    return new KubeReply(kind, MissingNode.getInstance(), problem);
  }

  private static JsonNode status(Response response) throws IOException {
    try (InputStream body = body(response)) {
      return parse(body, STATUS);
    } catch (JsonProcessingException e) {
      return MissingNode.getInstance();
    }
  }

  private static CountingInputStream body(Response response) {
    ResponseBody body = response.body();
    InputStream bytes = body == null ? InputStream.nullInputStream() : body.byteStream();
    return new CountingInputStream(ByteStreams.limit(bytes, MAX_BYTES));
  }

  private static JsonNode parse(InputStream body, TokenFilter wanted) throws IOException {
    try (JsonParser parser =
        new FilteringParserDelegate(
            JSON.getFactory().createParser(body), wanted, Inclusion.INCLUDE_ALL_AND_PATH, true)) {
      JsonNode found = JSON.readTree(parser);
      // The rest must be read, too: a truncated answer is no answer.
      while (parser.nextToken() != null) {
        parser.skipChildren();
      }
      return found == null ? MissingNode.getInstance() : found;
    }
  }
}
