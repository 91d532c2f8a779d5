package io.gpudra.scenarios.script;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Maps;
import com.google.common.collect.Streams;
import io.gpudra.scenarios.script.Expectation.OfClaim;
import io.gpudra.scenarios.script.Expectation.OfContainer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Checks that a met expectation is meaningful: it must fail if one of its demands is negated, or if
 * one of its objects is missing. Phases, users and events cannot be negated.
 *
 * @param met the expectation
 * @param seen by which it is met
 */
public record Counterproof(Expectation met, Observed seen) {
  private static final JsonMapper JSON = new JsonMapper();
  private static final ImmutableSet<String> PATTERNS =
      ImmutableSet.of("attributes", "environment", "variables");

  /** Demands that it does not enforce, one sentence each. */
  public ImmutableList<String> failures() {
    return Streams.concat(
            turned()
                .filter(turned -> turned.expectation().differences(seen).isEmpty())
                .map(turned -> "%s, too".formatted(turned.demand())),
            lacking()
                .filter(lacking -> met.differences(lacking.rest()).isEmpty())
                .map(lacking -> lacking.thing() + ": is not waited for"))
        .collect(ImmutableList.toImmutableList());
  }

  // ---- turned round

  private record Turned(String demand, Expectation expectation) {}

  private Stream<Turned> turned() {
    return Streams.concat(
        met.containers().entrySet().stream()
            .flatMap(one -> turned(one, OfContainer.class, all -> of(all, ImmutableMap.of()))),
        met.claims().entrySet().stream()
            .flatMap(one -> turned(one, OfClaim.class, all -> of(ImmutableMap.of(), all))),
        met.same().stream()
            .map(
                group ->
                    new Turned(
                        "same %s: is met where they are different".formatted(group),
                        of(ImmutableList.of(), group))),
        met.different().stream()
            .map(
                group ->
                    new Turned(
                        "different %s: is met where they are the same".formatted(group),
                        of(group, ImmutableList.of()))));
  }

  private static Expectation of(
      ImmutableMap<String, OfContainer> containers, ImmutableMap<String, OfClaim> claims) {
    return new Expectation(
        containers, ImmutableMap.of(), claims, ImmutableList.of(), ImmutableList.of());
  }

  private static Expectation of(ImmutableList<String> same, ImmutableList<String> different) {
    return new Expectation(
        ImmutableMap.of(),
        ImmutableMap.of(),
        ImmutableMap.of(),
        same.isEmpty() ? ImmutableList.of() : ImmutableList.of(same),
        different.isEmpty() ? ImmutableList.of() : ImmutableList.of(different));
  }

  private static <T> Stream<Turned> turned(
      Map.Entry<String, T> wanted,
      Class<T> type,
      Function<ImmutableMap<String, T>, Expectation> expectation) {
    ObjectNode demands = JSON.valueToTree(wanted.getValue());
    return demands.properties().stream()
        .flatMap(demand -> turned(demand.getKey(), demand.getValue()))
        .map(
            turned ->
                new Turned(
                    wanted.getKey() + ": is met with " + turned,
                    expectation.apply(
                        ImmutableMap.of(
                            wanted.getKey(),
                            JSON.convertValue(demands.deepCopy().setAll(turned), type)))));
  }

  /** Each has this field, with another value of which not everything can be true. */
  private static Stream<ObjectNode> turned(String field, JsonNode value) {
    ObjectNode turned = JSON.createObjectNode();
    if (value.isInt()) {
      return Stream.of(turned.put(field, value.asInt() + 1));
    }
    if (value.isBoolean()) {
      return Stream.of(turned.put(field, !value.asBoolean()));
    }
    if (field.equals("model") && value.isTextual()) {
      return Stream.of(turned.put(field, not(value)));
    }
    return PATTERNS.contains(field)
        ? value.properties().stream()
            .map(
                pattern ->
                    JSON.createObjectNode()
                        .set(
                            field,
                            JSON.createObjectNode().put(pattern.getKey(), not(pattern.getValue()))))
        : Stream.empty();
  }

  private static String not(JsonNode pattern) {
    String text = pattern.asText();
    return text.startsWith("!") ? text.substring(1) : "!" + text;
  }

  // ---- one thing less

  private record Lacking(String thing, Observed rest) {}

  private Stream<Lacking> lacking() {
    return Streams.concat(
        lacking(
            "container",
            Named.all(seen.containers(), containers()),
            name -> new Observed(without(seen.containers(), name), seen.pods(), seen.claims())),
        lacking(
            "pod",
            Named.all(seen.pods(), met.pods().keySet()),
            name -> new Observed(seen.containers(), without(seen.pods(), name), seen.claims())),
        lacking(
            "claim",
            Named.all(seen.claims(), met.claims().keySet()),
            name -> new Observed(seen.containers(), seen.pods(), without(seen.claims(), name))));
  }

  private static Stream<Lacking> lacking(
      String kind, Map<String, ?> named, Function<String, Observed> rest) {
    return named.keySet().stream().map(name -> new Lacking(kind + " " + name, rest.apply(name)));
  }

  private static <T> ImmutableSortedMap<String, T> without(
      ImmutableSortedMap<String, T> all, String name) {
    return ImmutableSortedMap.copyOf(Maps.filterKeys(all, other -> !other.equals(name)));
  }

  private ImmutableSet<String> containers() {
    return Stream.of(
            met.containers().keySet().stream(),
            Stream.concat(met.same().stream(), met.different().stream()).flatMap(List::stream),
            met.claims().values().stream().map(OfClaim::usedBy).filter(Objects::nonNull))
        .flatMap(names -> names)
        .collect(ImmutableSet.toImmutableSet());
  }
}
