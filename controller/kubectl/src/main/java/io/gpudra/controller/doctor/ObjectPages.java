package io.gpudra.controller.doctor;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.gpudra.controller.client.JsonCalls;
import io.gpudra.controller.client.JsonCalls.Answer;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Reads lists page by page, and each page object by object. Tenants store the objects, so each has
 * a limit in memory, and those that are kept have one together.
 */
public final class ObjectPages {
  private static final int PAGE = 250;

  /** The API server stores objects of 1.5 MiB. */
  private static final long MAX_OBJECT = 8L << 20;

  private static final long MAX_KEPT = Runtime.getRuntime().maxMemory() / 8;

  /** Texts of the server may be nested, and names long, in managed fields. */
  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(Integer.MAX_VALUE)
                          .maxNameLength(Integer.MAX_VALUE)
                          .maxStringLength(Integer.MAX_VALUE)
                          .build())
                  .build())
          .build();

  private final JsonCalls calls;
  private final long maxObject;
  private final long maxKept;
  private long kept;

  /** The objects that are kept take more memory than they may. */
  public static final class TooManyException extends IOException {
    private static final long serialVersionUID = 1;

    TooManyException(String name, long most) {
      super(
          "%s: the objects up to this one take more than %d MiB of memory"
              .formatted(name, most >> 20));
    }
  }

  /** Reads with the limits of this process. */
  public ObjectPages(JsonCalls calls) {
    this(calls, MAX_OBJECT, MAX_KEPT);
  }

  /**
   * Reads with limits.
   *
   * @param maxObject estimated bytes of one object
   * @param maxKept estimated bytes of all objects that are kept
   */
  ObjectPages(JsonCalls calls, long maxObject, long maxKept) {
    this.calls = calls;
    this.maxObject = maxObject;
    this.maxKept = maxKept;
  }

  /**
   * Reads all objects of a list.
   *
   * @param keeps receives each object, and answers whether it stays in memory
   * @param tooLarge receives the name of each object that is too large
   * @return the answer to the last page, without a body if it is ok
   * @throws TooManyException when the objects that stay take too much memory
   */
  public Answer list(String path, Predicate<JsonNode> keeps, Consumer<String> tooLarge)
      throws IOException {
    String limit = "%s%slimit=%d".formatted(path, path.contains("?") ? "&" : "?", PAGE);
    Page page = new Page(keeps, tooLarge);
    Answer answer;
    do {
      String from = page.next.isEmpty() ? limit : limit + "&continue=" + escaped(page.next);
      page.next = "";
      answer = calls.read(from, page::read);
    } while (!page.next.isEmpty());
    return answer;
  }

  /** A text as a part of a URL. */
  static String escaped(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** One page after the other. */
  private final class Page {
    private final Predicate<JsonNode> keeps;
    private final Consumer<String> tooLarge;

    /** Where the next page begins; empty behind the last. */
    private String next = "";

    private Page(Predicate<JsonNode> keeps, Consumer<String> tooLarge) {
      this.keeps = keeps;
      this.tooLarge = tooLarge;
    }

    private void read(InputStream body) throws IOException {
      try (JsonParser in = JSON.createParser(body)) {
        in.nextToken();
        while (in.nextToken() == JsonToken.FIELD_NAME) {
          String name = in.currentName();
          in.nextToken();
          if (name.equals("metadata")) {
            next = JSON.<JsonNode>readTree(in).path("continue").asText();
          } else if (name.equals("items") && in.currentToken() == JsonToken.START_ARRAY) {
            items(in);
          } else {
            in.skipChildren();
          }
        }
      }
    }

    private void items(JsonParser in) throws IOException {
      while (in.nextToken() != JsonToken.END_ARRAY) {
        ObjectTree tree = new ObjectTree(in, maxObject);
        JsonNode object = tree.read();
        if (tree.isTooLarge()) {
          tooLarge.accept(name(object));
        } else if (keeps.test(object)) {
          kept += tree.bytes();
          if (kept > maxKept) {
            throw new TooManyException(name(object), maxKept);
          }
        }
      }
    }

    private static String name(JsonNode object) {
      String namespace = object.at("/metadata/namespace").asText();
      return (namespace.isEmpty() ? "" : namespace + "/") + object.at("/metadata/name").asText();
    }
  }
}
