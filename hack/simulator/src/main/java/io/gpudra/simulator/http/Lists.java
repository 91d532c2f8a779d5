package io.gpudra.simulator.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Problems;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.store.Store;
import io.gpudra.simulator.store.Store.Page;
import io.gpudra.simulator.store.Store.PageRequest;
import io.gpudra.simulator.store.Stored;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;

/** Lists, with pages that all show the state of the first. */
record Lists(Store store) {
  private static final String MATCH = "resourceVersionMatch";
  private static final List<JsonNode> MATCHES = Objects.texts("Exact", "NotOlderThan", "");
  private static final byte[] ITEMS = ",\"items\":[".getBytes(StandardCharsets.UTF_8);
  private static final byte[] END = "]}".getBytes(StandardCharsets.UTF_8);

  Reply list(Call call, Kind kind) {
    Form form = Form.of(call);
    PageRequest request = request(call, Selector.of(kind, call));
    Page page =
        store
            .page(kind.resource(), request)
            .orElseThrow(
                () ->
                    Refusal.expired(
                        "The provided continue parameter is too old to display a consistent list"
                            + " result. You can start a new list without the continue parameter."));
    List<Stored> items = page.items();
    ObjectNode meta = Json.object().put("resourceVersion", Long.toString(page.revision()));
    if (kind.isCustom()) {
      meta.put("continue", "");
    }
    page.next().ifPresent(next -> meta.put("continue", token(page.revision(), next)));
    boolean selects =
        !call.param("labelSelector").isEmpty() || !call.param("fieldSelector").isEmpty();
    if (page.remaining() > 0 && !selects) {
      meta.put("remainingItemCount", page.remaining());
    }
    if (form == Form.OBJECT) {
      return new Reply(200, "application/json", concatenated(kind, items, meta), List.of());
    }
    List<ObjectNode> objects = items.stream().map(Stored::object).toList();
    return Reply.json(200, form.list(kind, objects, meta, call));
  }

  private PageRequest request(Call call, Predicate<ObjectNode> wanted) {
    String namespace = call.key().namespace();
    String token = call.param("continue");
    String revision = call.param("resourceVersion");
    String match = call.param(MATCH);
    // What the cache answers is not paged.
    int limit = token.isEmpty() && revision.equals("0") ? 0 : limit(call.param("limit"));
    check(call);
    if (!token.isEmpty()) {
      return resumed(call, limit, wanted);
    }
    boolean exact = match.equals("Exact") || (match.isEmpty() && limit > 0 && !isUnset(revision));
    OptionalLong at = exact ? OptionalLong.of(Long.parseLong(revision)) : OptionalLong.empty();
    return new PageRequest(namespace, new Store.Key(namespace, ""), limit, at, wanted);
  }

  private static int limit(String text) {
    try {
      return text.isEmpty() ? 0 : Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw (ApiError)
          Refusal.badRequest("strconv.ParseInt: parsing \"" + text + "\": invalid syntax")
              .initCause(e);
    }
  }

  private static boolean isUnset(String revision) {
    return revision.isEmpty() || revision.equals("0");
  }

  private void check(Call call) {
    String match = call.param(MATCH);
    String revision = call.param("resourceVersion");
    Problems problems = new Problems();
    if (!match.isEmpty() && revision.isEmpty()) {
      problems.forbidden(MATCH, MATCH + " is forbidden unless resourceVersion is provided");
    }
    if (!match.isEmpty() && !call.param("continue").isEmpty()) {
      problems.forbidden(MATCH, MATCH + " is forbidden when continue is provided");
    }
    if (!MATCHES.contains(TextNode.valueOf(match))) {
      problems.unsupported(MATCH, TextNode.valueOf(match), MATCHES);
    }
    if (match.equals("Exact") && revision.equals("0")) {
      problems.forbidden(MATCH, MATCH + " \"exact\" is forbidden for resourceVersion \"0\"");
    }
    if (!call.param("sendInitialEvents").isEmpty()) {
      problems.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list");
    }
    refuse(problems);
    if (Call.revision(revision) > store.revision()) {
      throw tooLarge(revision);
    }
  }

  static void refuse(Problems problems) {
    if (!problems.isEmpty()) {
      throw Refusal.invalid(Resource.OPTIONS, "ListOptions", "", problems);
    }
  }

  private ApiError tooLarge(String revision) {
    String text = "Too large resource version";
    ObjectNode details = Json.object("retryAfterSeconds", 1);
    Refusal.cause(details, "ResourceVersionTooLarge", text, "");
    String current = ": " + revision + ", current: " + store.revision();
    return Refusal.of(504, "Timeout", "Timeout: " + text + current, details);
  }

  private static PageRequest resumed(Call call, int limit, Predicate<ObjectNode> wanted) {
    if (!isUnset(call.param("resourceVersion"))) {
      throw Refusal.badRequest("specifying resource version is not allowed when using continue");
    }
    try {
      String json =
          new String(Base64.getUrlDecoder().decode(call.param("continue")), StandardCharsets.UTF_8);
      JsonNode start = Json.parse(json);
      Store.Key from = new Store.Key(Json.text(start, "namespace"), Json.text(start, "name"));
      OptionalLong at = OptionalLong.of(start.path("rv").asLong());
      return new PageRequest(call.key().namespace(), from, limit, at, wanted);
    } catch (IllegalArgumentException e) {
      throw (ApiError)
          Refusal.badRequest("invalid continue token: continue key is not valid: " + e.getMessage())
              .initCause(e);
    }
  }

  private static String token(long revision, Store.Key next) {
    ObjectNode token = Json.object().put("rv", revision);
    token.put("namespace", next.namespace()).put("name", next.name());
    return Base64.getUrlEncoder().withoutPadding().encodeToString(Reply.bytes(token));
  }

  /** Items are serialised when they are stored, not when they are listed. */
  private static ByteBuffer concatenated(Kind kind, List<Stored> items, ObjectNode meta) {
    ObjectNode head = Json.object().put("kind", kind.names().listKind());
    head.put("apiVersion", kind.resource().apiVersion());
    head.set("metadata", meta);
    byte[] start = Reply.bytes(head);
    // Only custom resources name their kind in lists, too.
    int skipped = kind.isCustom() ? 1 : Reply.bytes(kind.identity()).length;
    int around = ",{".length() - skipped;
    int size = start.length + ITEMS.length + END.length;
    for (Stored item : items) {
      size += around + item.json().length;
    }
    ByteBuffer out = ByteBuffer.allocate(size).put(start, 0, start.length - 1).put(ITEMS);
    for (int i = 0; i < items.size(); i++) {
      byte[] json = items.get(i).json();
      out.put((i == 0 ? "{" : ",{").getBytes(StandardCharsets.UTF_8));
      out.put(json, skipped, json.length - skipped);
    }
    return out.put(END).flip();
  }
}
