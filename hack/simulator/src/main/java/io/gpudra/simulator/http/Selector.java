package io.gpudra.simulator.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSet;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Naming;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.kinds.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which objects a list or watch is about. */
final class Selector {
  private static final ImmutableSet<String> OF_ALL =
      ImmutableSet.of("metadata.name", "metadata.namespace");
  private static final ImmutableSet<String> OF_PODS =
      ImmutableSet.of("spec.nodeName", "status.phase", "spec.schedulerName", "spec.restartPolicy");
  private static final ImmutableSet<String> OF_EVENTS =
      ImmutableSet.of("reason", "type", "source", "reportingComponent", "reportingController");
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
    Matcher equality = EQUALITY.matcher(term);
    if (set.matches()) {
      Splitter values = Splitter.on(',').trimResults();
      return label(set.group(1), values.splitToList(set.group(3)), set.group(2).equals("in"));
    }
    if (equality.matches()) {
      boolean equal = !equality.group(2).equals("!=");
      return label(equality.group(1), List.of(equality.group(3)), equal);
    }
    String name = term.strip();
    if (!Naming.isLabelName(name.replaceFirst("^!", ""))) {
      throw Refusal.badRequest("unable to parse requirement: found '" + name + "'");
    }
    return name.startsWith("!")
        ? o -> label(o, name.substring(1)).isMissingNode()
        : o -> !label(o, name).isMissingNode();
  }

  /** An object without the label is among those that do not have one of the values. */
  private static Predicate<ObjectNode> label(String name, List<String> values, boolean wanted) {
    return o ->
        (!label(o, name).isMissingNode() && values.contains(label(o, name).asText())) == wanted;
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
    if (!isKnown(kind, path)) {
      throw Refusal.badRequest(unknown(kind, path));
    }
    boolean equal = !equality.group(2).equals("!=");
    String place = path.equals("source") ? "source.component" : path;
    return object -> Json.text(object, place).equals(equality.group(3)) == equal;
  }

  private static boolean isKnown(Kind kind, String path) {
    boolean selectable =
        switch (kind.kind()) {
          case "Pod" -> OF_PODS.contains(path);
          case "Event" ->
              OF_EVENTS.contains(path)
                  || path.startsWith(
                      kind.resource().group().isEmpty() ? "involvedObject." : "regarding.");
          default -> false;
        };
    return selectable || OF_ALL.contains(path);
  }

  private static String unknown(Kind kind, String path) {
    return kind.isCustom() || kind.kind().equals("Event")
        ? "field label not supported: " + path
        : "\""
            + path
            + "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"";
  }
}
