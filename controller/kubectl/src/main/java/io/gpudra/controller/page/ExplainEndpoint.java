package io.gpudra.controller.page;

import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.view.Sight;
import io.gpudra.controller.view.explain.Asked;
import io.gpudra.controller.view.explain.Explain;
import io.gpudra.controller.view.explain.Explained;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs {@code kubectl gpudra explain} for the pod or claim that is selected on the page. */
final class ExplainEndpoint {
  private ExplainEndpoint() {}

  /** Reads {@code kind}, {@code namespace} and {@code name} of a query. */
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

  /**
   * The explanation.
   *
   * @throws IOException if its events are needed and cannot be read
   */
  static String of(HttpClients http, Sight sight, Asked asked) throws IOException {
    Optional<Explained> explained = Explain.of(sight, asked);
    if (explained.isEmpty()) {
      return "No such object, or no permission to read it.";
    }
    return Stream.concat(
            explained.get().lines(sight.now()).stream(),
            EventHistory.of(http, sight, explained.get()).stream())
        .collect(Collectors.joining("\n"));
  }
}
