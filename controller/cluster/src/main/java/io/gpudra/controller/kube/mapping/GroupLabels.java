package io.gpudra.controller.kube.mapping;

import static java.util.Objects.requireNonNullElse;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.GroupLabel;
import io.gpudra.controller.gate.GatedPod;
import io.gpudra.controller.loop.ObjectKey;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The labels that make a pod a member of a group: our own, and those of Kueue.
 *
 * @param driverName the prefix of our own
 */
record GroupLabels(String driverName) {
  private static final String KUEUES_NAME = "kueue.x-k8s.io/pod-group-name";
  private static final String KUEUES_SIZE = "kueue.x-k8s.io/pod-group-total-count";

  /** The maximum length of a label. */
  private static final int MAX_NAME = 63;

  /** More characters than any size has. */
  private static final int MAX_SIZE = 10;

  /** The fields of a pod that are read. */
  ImmutableList<String> fields() {
    return ImmutableList.of(
        "metadata.labels[%s]".formatted(nameKey()),
        "metadata.labels[%s]".formatted(sizeKey()),
        "metadata.labels[%s]".formatted(KUEUES_NAME),
        "metadata.annotations[%s]".formatted(KUEUES_SIZE));
  }

  /** The group of the pod; if it has labels of both kinds, our own count. */
  Optional<GroupLabel> of(V1ObjectMeta metadata) {
    Map<String, String> labels = requireNonNullElse(metadata.getLabels(), Map.of());
    Map<String, String> annotations = requireNonNullElse(metadata.getAnnotations(), Map.of());
    Optional<GroupLabel> kueues =
        label(GroupLabel.Kind.KUEUE, labels.get(KUEUES_NAME), annotations.get(KUEUES_SIZE));
    return label(GroupLabel.Kind.OWN, labels.get(nameKey()), labels.get(sizeKey()))
        .map(
            own -> kueues.filter(other -> !sameGroup(own, other)).isPresent() ? disputed(own) : own)
        .or(() -> kueues);
  }

  /** Selects the pods of a group; empty if the unit is none. */
  Optional<String> selector(ObjectKey unit) {
    return GatedPod.ownGroup(unit)
        .map(name -> nameKey() + "=" + name)
        .or(() -> GatedPod.kueuesGroup(unit).map(name -> KUEUES_NAME + "=" + name));
  }

  private String nameKey() {
    return driverName + "/group";
  }

  private String sizeKey() {
    return driverName + "/group-size";
  }

  private static Optional<GroupLabel> label(
      GroupLabel.Kind kind, @Nullable String name, @Nullable String size) {
    return Optional.ofNullable(name)
        .map(text -> new GroupLabel(kind, cut(text, MAX_NAME), cut(size, MAX_SIZE), false));
  }

  private static String cut(@Nullable String text, int most) {
    return Ascii.truncate(requireNonNullElse(text, ""), most, "…");
  }

  private static boolean sameGroup(GroupLabel one, GroupLabel other) {
    return one.name().equals(other.name()) && one.size().equals(other.size());
  }

  private static GroupLabel disputed(GroupLabel label) {
    return new GroupLabel(label.kind(), label.name(), label.size(), /* disputed= */ true);
  }
}
