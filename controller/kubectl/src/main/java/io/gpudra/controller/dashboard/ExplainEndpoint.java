package io.gpudra.controller.dashboard;

import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.explain.ClusterExplainer;
import io.gpudra.controller.view.explain.ExplainResult;
import io.gpudra.controller.view.explain.ExplainTarget;
import io.gpudra.controller.view.explain.GroupWithNodes;
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
  static Optional<ExplainTarget> asked(Map<String, List<String>> query) {
    String namespace = last(query, "namespace");
    String name = last(query, "name");
    return namespace.isEmpty() || name.isEmpty()
        ? Optional.empty()
        : ExplainTarget.of(namespace, last(query, "kind") + "/" + name);
  }

  private static String last(Map<String, List<String>> query, String name) {
    List<String> all = query.getOrDefault(name, List.of());
    return all.isEmpty() ? "" : all.get(all.size() - 1);
  }

  /**
   * The explanation.
   *
   * @throws IOException if events are needed and cannot be read
   */
  static String of(HttpClients http, UserView userView, ExplainTarget explainTarget)
      throws IOException {
    Optional<ExplainResult> explained = ClusterExplainer.of(userView, explainTarget);
    if (explained.isEmpty()) {
      return "No such object, or no permission to read it.";
    }
    Optional<GroupWithNodes> kept =
        explained.get().waits() ? KeptNodesReader.of(http, userView) : Optional.empty();
    return Stream.of(
            explained.get().lines(userView.now()).stream(),
            kept.stream().map(group -> group.text(userView.now())),
            EventHistory.of(http, userView, explained.get()).stream())
        .flatMap(some -> some)
        .collect(Collectors.joining("\n"));
  }
}
