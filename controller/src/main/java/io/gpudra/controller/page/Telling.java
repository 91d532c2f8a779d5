package io.gpudra.controller.page;

import io.gpudra.controller.view.Sight;
import io.gpudra.controller.view.explain.Asked;
import io.gpudra.controller.view.explain.Explain;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What {@code kubectl gpudra explain} says of a pod or claim that somebody points at. */
final class Telling {
  private Telling() {}

  /** As {@code kind}, {@code namespace} and {@code name} of a query say, if they do. */
  static Optional<Asked> asked(Map<String, List<String>> query) {
    String namespace = last(query, "namespace");
    String name = last(query, "name");
    return namespace.isEmpty() || name.isEmpty()
        ? Optional.empty()
        : Asked.of(namespace, last(query, "kind") + "/" + name);
  }

  private static String last(Map<String, List<String>> query, String name) {
    List<String> all = query.getOrDefault(name, List.of());
    return all.isEmpty() ? "" : all.get(all.size() - 1);
  }

  static String of(Sight sight, Asked asked) {
    return Explain.of(sight, asked)
        .map(explained -> String.join("\n", explained.lines(sight.now())))
        .orElse("There is no such object in sight.");
  }
}
