package io.gpudra.controller.doctor.upgrade;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableSet;
import java.util.stream.Stream;
import org.yaml.snakeyaml.Yaml;

/** Objects of a cluster in one line each. */
final class UpgradeObjects {
  static final String FINALIZER = "gpu.resource.example.com/deletion-protection";
  private static final JsonMapper JSON = new JsonMapper();

  private UpgradeObjects() {}

  /** Such as {@code Pod {metadata: {name: a}}}; only those that matter are kept, as when read. */
  static ImmutableListMultimap<StoredKind, StoredObject> of(Stream<String> lines) {
    ImmutableListMultimap.Builder<StoredKind, StoredObject> objects =
        ImmutableListMultimap.builder();
    lines.forEach(
        line -> {
          StoredKind kind = kind(line.substring(0, line.indexOf(' ')));
          JsonNode json = JSON.valueToTree(new Yaml().load(line.substring(line.indexOf(' '))));
          if (kind.matters(json)) {
            objects.put(kind, new StoredObject(kind, json));
          }
        });
    return objects.build();
  }

  private static StoredKind kind(String text) {
    return Stream.of(StoredKind.values())
        .filter(kind -> kind.text().equals(text))
        .findFirst()
        .orElseThrow();
  }

  static UpgradeState state(int target, boolean led, String... lines) {
    return new UpgradeState(FINALIZER, target, led, true, of(Stream.of(lines)), ImmutableSet.of());
  }

  /** As {@code label subject}, with a question mark where the step may wait. */
  static ImmutableList<String> told(Stream<UpgradeStep> steps) {
    return steps
        .map(step -> step.kind().label() + (step.kind().blocking() ? " " : "? ") + step.subject())
        .collect(ImmutableList.toImmutableList());
  }
}
