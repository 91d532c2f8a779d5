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
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;

/** Lists, with pages that all show the state of the first. */
record Lists(Store store) {
  private static final List<JsonNode> MATCHES =
      List.of(TextNode.valueOf("Exact"), TextNode.valueOf("NotOlderThan"));

  Reply list(Call call, Kind kind) {
    Form form = Form.of(call);
    PageRequest request = request(call);
    Page page =
        store
            .page(kind.resource(), request)
            .orElseThrow(
                () ->
                    Refusal.expired(
                        "The provided continue parameter is too old to display a consistent list"
                            + " result. You can start a new list without the continue parameter."));
    Predicate<ObjectNode> selector = Selector.of(kind, call);
    List<Stored> items = page.items().stream().filter(i -> selector.test(i.object())).toList();
    ObjectNode meta = Json.object().put("resourceVersion", Long.toString(page.revision()));
    page.next().ifPresent(next -> meta.put("continue", token(page.revision(), next)));
    if (form == Form.OBJECT) {
      ByteBuffer body = ByteBuffer.wrap(concatenated(kind, items, meta));
      return new Reply(200, "application/json", body, List.of());
    }
    List<ObjectNode> objects = items.stream().map(Stored::object).toList();
    return Reply.json(200, form.list(kind, objects, meta, call));
  }

  private PageRequest request(Call call) {
    String namespace = call.key().namespace();
    String token = call.param("continue");
    String revision = call.param("resourceVersion");
    String match = call.param("resourceVersionMatch");
    int limit = call.param("limit").isEmpty() ? 0 : Integer.parseInt(call.param("limit"));
    check(revision, match);
    if (!token.isEmpty()) {
      return resumed(namespace, token, limit, revision);
    }
    boolean exact = match.equals("Exact") || (match.isEmpty() && limit > 0 && !isUnset(revision));
    OptionalLong at = exact ? OptionalLong.of(Long.parseLong(revision)) : OptionalLong.empty();
    return new PageRequest(namespace, new Store.Key(namespace, ""), limit, at);
  }

  private static boolean isUnset(String revision) {
    return revision.isEmpty() || revision.equals("0");
  }

  private void check(String revision, String match) {
    Problems problems = new Problems();
    String field = "resourceVersionMatch";
    if (!match.isEmpty() && revision.isEmpty()) {
      problems.forbidden(field, field + " is forbidden unless resourceVersion is provided");
    } else if (match.equals("Exact") && revision.equals("0")) {
      problems.forbidden(field, field + " \"exact\" is forbidden for resourceVersion \"0\"");
    } else if (!match.isEmpty() && !MATCHES.contains(TextNode.valueOf(match))) {
      problems.unsupported(field, TextNode.valueOf(match), MATCHES);
    }
    if (!problems.isEmpty()) {
      Resource options = new Resource("meta.k8s.io", "v1", "listoptions");
      throw Refusal.invalid(options, "ListOptions", "", problems);
    }
    if (!isUnset(revision) && Long.parseLong(revision) > store.revision()) {
      throw tooLarge(revision);
    }
  }

  private ApiError tooLarge(String revision) {
    String text = "Too large resource version";
    ObjectNode details = Json.object("retryAfterSeconds", 1);
    Refusal.cause(details, "ResourceVersionTooLarge", text, "");
    String current = ": " + revision + ", current: " + store.revision();
    return Refusal.of(504, "Timeout", "Timeout: " + text + current, details);
  }

  private static PageRequest resumed(String namespace, String token, int limit, String revision) {
    if (!isUnset(revision)) {
      throw Refusal.badRequest("specifying resource version is not allowed when using continue");
    }
    try {
      String json = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
      JsonNode start = Json.parse(json);
      Store.Key from = new Store.Key(Json.text(start, "namespace"), Json.text(start, "name"));
      return new PageRequest(namespace, from, limit, OptionalLong.of(start.path("rv").asLong()));
    } catch (IllegalArgumentException e) {
      throw (ApiError)
          Refusal.badRequest("continue key is not valid: " + e.getMessage()).initCause(e);
    }
  }

  private static String token(long revision, Store.Key next) {
    ObjectNode token = Json.object().put("rv", revision);
    token.put("namespace", next.namespace()).put("name", next.name());
    return Base64.getUrlEncoder().withoutPadding().encodeToString(Reply.bytes(token));
  }

  /** Items are serialised when they are stored, not when they are listed. */
  private static byte[] concatenated(Kind kind, List<Stored> items, ObjectNode meta) {
    ObjectNode head = Json.object().put("kind", kind.names().listKind());
    head.put("apiVersion", kind.resource().apiVersion());
    head.set("metadata", meta);
    byte[] start = Reply.bytes(head);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(start, 0, start.length - 1);
    try {
      out.write(",\"items\":[".getBytes(StandardCharsets.UTF_8));
      for (int i = 0; i < items.size(); i++) {
        if (i > 0) {
          out.write(',');
        }
        out.write(items.get(i).json());
      }
      out.write("]}".getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new IllegalStateException("memory cannot fail to be written", e);
    }
    return out.toByteArray();
  }
}
