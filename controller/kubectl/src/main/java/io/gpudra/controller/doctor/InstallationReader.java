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
import io.gpudra.controller.doctor.ObjectPages.TooManyException;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Reads objects, and records those that the caller may not read. */
public final class InstallationReader {
  static final JsonMapper JSON = new JsonMapper();
  private static final ImmutableSet<Integer> FORBIDDEN = ImmutableSet.of(401, 403);
  private static final int NOT_FOUND = 404;
  private static final int INTERNAL_ERROR = 500;
  private static final int MAX_CHARACTERS = 200;

  private final JsonCalls calls;
  private final ObjectPages pages;
  private final Set<String> unseen = new LinkedHashSet<>();

  /** Reads with the rights of the caller. */
  public InstallationReader(JsonCalls calls) {
    this.calls = calls;
    this.pages = new ObjectPages(calls);
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

  /** Reads all objects of a list, of which none stays in memory. */
  public void list(String what, String path, Consumer<JsonNode> each) throws IOException {
    keep(
        what,
        path,
        object -> {
          each.accept(object);
          return false;
        });
  }

  /**
   * Reads all objects of a list.
   *
   * @param keeps receives each object, and answers whether it stays in memory
   */
  public void keep(String what, String path, Predicate<JsonNode> keeps) throws IOException {
    try {
      body(what, path, pages.list(path, keeps, name -> unseen(what, name + " is too large")));
    } catch (TooManyException e) {
      unseen(what, String.valueOf(e.getMessage()));
    }
  }

  /** Whether the server itself cannot read one of the objects of a list. */
  public boolean fails(String what, String path) throws IOException {
    Answer answer = pages.list(path, unused -> false, unused -> {});
    if (answer.code() != INTERNAL_ERROR) {
      body(what, path, answer);
    }
    return answer.code() == INTERNAL_ERROR;
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
    return ObjectPages.escaped(text);
  }

  /** A text shortened for a sentence. */
  static String brief(String text) {
    return Ascii.truncate(text.strip(), MAX_CHARACTERS, "…");
  }
}
