package io.gpudra.controller.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.client.JsonCalls;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.client.JsonCalls.Form;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/** Reads objects, and records those that the caller may not read. */
public final class InstallationReader {
  static final JsonMapper JSON = new JsonMapper();
  private static final ImmutableSet<Integer> FORBIDDEN = ImmutableSet.of(401, 403);
  private static final int NOT_FOUND = 404;
  private static final int INTERNAL_ERROR = 500;
  private static final int PAGE = 250;
  private static final int MAX_CHARACTERS = 200;

  private final JsonCalls calls;
  private final Set<String> unseen = new LinkedHashSet<>();

  /** Reads with the rights of the caller. */
  public InstallationReader(JsonCalls calls) {
    this.calls = calls;
  }

  /** The checks that were not possible, and the reasons. */
  public ImmutableList<String> unseen() {
    return ImmutableList.copyOf(unseen);
  }

  /** Records a check that was not possible. */
  public void unseen(String what, String why) {
    unseen.add(what + ": " + why);
  }

  /** The object; missing if there is none, or the caller may not read it. */
  public JsonNode get(String what, String path) throws IOException {
    return json(text(what, path));
  }

  private static JsonNode json(String body) throws IOException {
    return body.isEmpty() ? MissingNode.getInstance() : JSON.readTree(body);
  }

  /** Like {@link #get}, for plain text. */
  String text(String what, String path) throws IOException {
    return body(what, path, calls.get(path));
  }

  private String body(String what, String path, Answer answer) throws IOException {
    if (answer.ok()) {
      return answer.body();
    }
    if (FORBIDDEN.contains(answer.code())) {
      unseen(what, "the right to read " + path.replaceFirst("\\?.*", "") + " is missing");
    } else if (answer.code() != NOT_FOUND) {
      unseen(what, "%s answered %d".formatted(path, answer.code()));
    }
    return "";
  }

  /** Reads all objects of a list, page by page. */
  public void list(String what, String path, Consumer<JsonNode> each) throws IOException {
    JsonNode page = MissingNode.getInstance();
    do {
      page = get(what, path(path, page));
      page.path("items").forEach(each);
    } while (goesOn(page));
  }

  /** Whether the server itself cannot read one of the objects of a list. */
  public boolean fails(String what, String path) throws IOException {
    JsonNode page = MissingNode.getInstance();
    do {
      String next = path(path, page);
      Answer answer = calls.get(next);
      if (answer.code() == INTERNAL_ERROR) {
        return true;
      }
      page = json(body(what, next, answer));
    } while (goesOn(page));
    return false;
  }

  /** The path of the page after this one; of the first after a missing one. */
  private static String path(String path, JsonNode page) {
    String limit = "%s%slimit=%d".formatted(path, path.contains("?") ? "&" : "?", PAGE);
    return goesOn(page) ? limit + "&continue=" + escaped(token(page)) : limit;
  }

  private static boolean goesOn(JsonNode page) {
    return !token(page).isEmpty();
  }

  private static String token(JsonNode page) {
    return page.at("/metadata/continue").asText();
  }

  /** Sends a POST that changes nothing, such as an access review. */
  JsonNode ask(String what, String path, JsonNode question) throws IOException {
    Answer answer = calls.send("POST", path, Form.JSON, question.toString());
    if (answer.code() == NOT_FOUND) {
      unseen(what, "the server has no " + path);
    }
    return json(body(what, path, answer));
  }

  /** A text as a part of a URL. */
  public static String escaped(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** A text shortened for a sentence. */
  static String brief(String text) {
    return Ascii.truncate(text.strip(), MAX_CHARACTERS, "…");
  }
}
