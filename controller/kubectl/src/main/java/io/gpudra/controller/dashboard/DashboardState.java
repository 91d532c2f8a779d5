package io.gpudra.controller.dashboard;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Content of the page at one moment, as JSON. Each window receives only the difference.
 *
 * @param at the time when this state was last confirmed
 * @param nodes JSON of each node by its name, see {@link DashboardNodeJson}
 * @param parts JSON of everything else by the name of its part, see {@link DashboardStateBuilder}
 * @param trouble the reason why it cannot be updated; empty if it can
 */
record DashboardState(
    Instant at,
    ImmutableSortedMap<String, String> nodes,
    ImmutableMap<String, String> parts,
    String trouble) {

  /** The state before the first snapshot. */
  static DashboardState empty(String trouble) {
    return new DashboardState(Instant.EPOCH, ImmutableSortedMap.of(), ImmutableMap.of(), trouble);
  }

  /** The same state, confirmed or not. */
  DashboardState at(Instant later, String now) {
    return new DashboardState(now.isEmpty() ? later : at, nodes, parts, now);
  }

  /**
   * The update for a window that shows {@code before}: {@code at} in seconds and {@code trouble};
   * {@code reset} if it must discard its state; {@code nodes} that are new or changed; the names of
   * nodes that are {@code gone}; and each part that changed.
   */
  String since(Optional<DashboardState> before) {
    Map<String, String> known =
        before.<Map<String, String>>map(DashboardState::nodes).orElse(Map.of());
    Map<String, String> parts =
        before.<Map<String, String>>map(DashboardState::parts).orElse(Map.of());
    List<String> fields = new ArrayList<>();
    fields.add("\"at\":" + at.getEpochSecond());
    fields.add("\"trouble\":" + DashboardJson.text(trouble));
    before.ifPresentOrElse(told -> {}, () -> fields.add("\"reset\":true"));
    list(fields, "nodes", changed(nodes, known));
    list(fields, "gone", gone(known));
    this.parts.forEach(
        (name, json) -> {
          if (!json.equals(parts.get(name))) {
            fields.add("\"" + name + "\":" + json);
          }
        });
    return "{" + String.join(",", fields) + "}";
  }

  private static List<String> changed(Map<String, String> now, Map<String, String> before) {
    return now.entrySet().stream()
        .filter(entry -> !Objects.equals(entry.getValue(), before.get(entry.getKey())))
        .map(Map.Entry::getValue)
        .toList();
  }

  private List<String> gone(Map<String, String> before) {
    return before.keySet().stream()
        .filter(name -> !nodes.containsKey(name))
        .map(DashboardJson::text)
        .toList();
  }

  private static void list(List<String> fields, String name, List<String> values) {
    if (!values.isEmpty()) {
      fields.add("\"" + name + "\":[" + String.join(",", values) + "]");
    }
  }
}
