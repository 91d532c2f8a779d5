package io.gpudra.simulator.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSet;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.kinds.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which objects a list or watch is about. */
final class Selector {
  private static final ImmutableSet<String> OF_ALL =
      ImmutableSet.of("metadata.name", "metadata.namespace");
  private static final ImmutableSet<String> OF_PODS =
      ImmutableSet.of("spec.nodeName", "status.phase", "spec.schedulerName", "spec.restartPolicy");
  private static final Pattern SET =
      Pattern.compile("\\s*([^\\s=!,()]+)\\s+(in|notin)\\s+\\(([^)]*)\\)\\s*");
  private static final Pattern EQUALITY =
      Pattern.compile("\\s*([^\\s=!]+)\\s*(==|=|!=)\\s*(\\S*)\\s*");
  private static final Pattern TERMS = Pattern.compile(",(?![^(]*\\))");

  private Selector() {}

  static Predicate<ObjectNode> of(Kind kind, Call call) {
    List<Predicate<ObjectNode>> all = new ArrayList<>();
    String namespace = call.key().namespace();
    if (!namespace.isEmpty()) {
      all.add(object -> Json.text(object, "metadata.namespace").equals(namespace));
    }
    if (!call.key().name().isEmpty()) {
      all.add(object -> Json.text(object, "metadata.name").equals(call.key().name()));
    }
    for (String term : terms(call.param("labelSelector"))) {
      all.add(label(term));
    }
    for (String term : terms(call.param("fieldSelector"))) {
      all.add(field(kind, term));
    }
    return object -> all.stream().allMatch(one -> one.test(object));
  }

  private static List<String> terms(String text) {
    return text.isEmpty() ? List.of() : Splitter.on(TERMS).splitToList(text);
  }

  private static Predicate<ObjectNode> label(String term) {
    Matcher set = SET.matcher(term);
    if (set.matches()) {
      Set<String> values = ImmutableSet.copyOf(Splitter.on(',').trimResults().split(set.group(3)));
      boolean in = set.group(2).equals("in");
      return o ->
          label(o, set.group(1)).isMissingNode()
              ? !in
              : values.contains(label(o, set.group(1)).asText()) == in;
    }
    Matcher equality = EQUALITY.matcher(term);
    if (equality.matches()) {
      boolean equal = !equality.group(2).equals("!=");
      String value = equality.group(3);
      return o ->
          label(o, equality.group(1)).isMissingNode()
              ? !equal
              : label(o, equality.group(1)).asText().equals(value) == equal;
    }
    String name = term.strip();
    return name.startsWith("!")
        ? o -> label(o, name.substring(1)).isMissingNode()
        : o -> !label(o, name).isMissingNode();
  }

  private static JsonNode label(ObjectNode object, String name) {
    return object.path("metadata").path("labels").path(name);
  }

  private static Predicate<ObjectNode> field(Kind kind, String term) {
    Matcher equality = EQUALITY.matcher(term);
    if (!equality.matches()) {
      throw Refusal.badRequest("invalid selector: '" + term + "'; can't understand '" + term + "'");
    }
    String path = equality.group(1);
    boolean known =
        OF_ALL.contains(path)
            || (kind.kind().equals("Pod") && OF_PODS.contains(path))
            || (kind.kind().equals("Event")
                && (path.startsWith("involvedObject.")
                    || path.equals("reason")
                    || path.equals("type")));
    if (!known) {
      throw Refusal.badRequest(
          "\""
              + path
              + "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
    }
    boolean equal = !equality.group(2).equals("!=");
    return object -> Json.text(object, path).equals(equality.group(3)) == equal;
  }
}
