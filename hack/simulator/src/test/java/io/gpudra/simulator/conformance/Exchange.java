package io.gpudra.simulator.conformance;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.google.common.base.Splitter;
import io.gpudra.simulator.api.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;

/**
 * A request and its answer.
 *
 * @param recorded {@code ask}: method and path, or a kubectl command; optional {@code body}, {@code
 *     type}, {@code accept}; {@code until}: the code, or the part of an output, to wait for; {@code
 *     only}: the paths of the answer that count
 */
record Exchange(ObjectNode recorded) {
  // A real server publishes schemas when it has the time.
  private static final Duration LONG = Duration.ofSeconds(60);

  /** Asks the server. */
  ObjectNode replay(Symbols symbols) {
    ObjectNode replayed = recorded.deepCopy().without(List.of("code", "warnings", "answer"));
    String ask = symbols.expand(Json.text(recorded, "ask"));
    if (ask.startsWith("kubectl ")) {
      String until = recorded.path("until").asText();
      String body = symbols.expand(body());
      String output =
          await().atMost(LONG).until(() -> Kubectl.run(ask, body), heard -> heard.contains(until));
      return replayed.set("answer", symbols.abstracted(TextNode.valueOf(output)));
    }
    Client.Answer answer = answer(ask, symbols.expand(body()));
    replayed.put("code", answer.code());
    if (!answer.warnings().isEmpty()) {
      replayed.set("warnings", symbols.abstracted(Json.MAPPER.valueToTree(answer.warnings())));
    }
    return replayed.set("answer", selected(symbols.abstracted(content(answer))));
  }

  private Client.Answer answer(String ask, String body) {
    List<String> words = Splitter.on(' ').splitToList(ask);
    int until = recorded.path("until").asInt();
    return until == 0
        ? send(words, body)
        : await().atMost(LONG).until(() -> send(words, body), answer -> answer.code() == until);
  }

  private Client.Answer send(List<String> words, String body) {
    String type = recorded.path("type").asText(body.isEmpty() ? "" : "application/json");
    String accept = recorded.path("accept").asText("application/json");
    return ServerUnderTest.INSTANCE.client().send(words.get(0), words.get(1), type, body, accept);
  }

  private String body() {
    JsonNode body = recorded.path("body");
    return body.isContainerNode() ? body.toString() : body.asText();
  }

  /** A watch answers many values. */
  private static JsonNode content(Client.Answer answer) {
    if (answer.json().isMissingNode()) {
      return TextNode.valueOf(answer.text());
    }
    List<JsonNode> all = values(answer.text());
    return all.size() == 1 && !all.get(0).has("object")
        ? all.get(0)
        : Json.MAPPER.createArrayNode().addAll(all);
  }

  static List<JsonNode> values(String text) {
    try (MappingIterator<JsonNode> values =
        Json.MAPPER.readerFor(JsonNode.class).readValues(text)) {
      return values.readAll();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private JsonNode selected(JsonNode answer) {
    if (!recorded.has("only")) {
      return answer;
    }
    if (answer instanceof ArrayNode events) {
      ArrayNode selected = Json.MAPPER.createArrayNode();
      events.forEach(event -> selected.add(selected(event)));
      return selected;
    }
    ObjectNode selected = Json.object();
    for (JsonNode path : recorded.path("only")) {
      Json.put(selected, path.asText(), at(answer, Splitter.on('.').splitToList(path.asText())));
    }
    return selected;
  }

  /** The value at a path, in which a star stands for all items of a list. */
  private static JsonNode at(JsonNode node, List<String> path) {
    if (path.isEmpty()) {
      return node;
    }
    List<String> rest = path.subList(1, path.size());
    if (path.get(0).equals("*")) {
      ArrayNode values = Json.MAPPER.createArrayNode();
      node.forEach(item -> values.add(at(item, rest)));
      return values;
    }
    JsonNode next =
        node.isArray() ? node.path(Integer.parseInt(path.get(0))) : node.path(path.get(0));
    return at(next, rest);
  }
}
