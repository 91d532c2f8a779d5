package io.gpudra.controller.lint;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import com.google.common.primitives.Ints;
import io.gpudra.controller.gate.GateName;
import io.gpudra.controller.gate.group.GroupQuorum;
import io.gpudra.controller.lint.object.LintKind;
import io.gpudra.controller.lint.object.ObjectProblem;
import io.gpudra.crds.api.problem.NameSuggestion;
import io.gpudra.crds.api.problem.ProblemList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Checks scheduling gates and the labels of groups, with all objects of the texts. */
final class GroupCheck {
  /** Each object of a group is compared with no more others. */
  private static final int MAX_OBJECTS = 2 * GroupQuorum.MAX_SIZE;

  private static final String PAGE = "; see docs/user/groups.md";

  private final String driver;
  private final String gate;
  private final ManifestObjects given;
  private final Map<Key, List<LintObject>> groups = new HashMap<>();

  private record Key(String namespace, String name) {}

  GroupCheck(String driver, ManifestObjects given, List<LintObject> all) {
    this.driver = driver;
    this.gate = new GateName(driver).own();
    this.given = given;
    for (LintObject one : all) {
      if (one.kind().describesPods() && isMember(one)) {
        groups.computeIfAbsent(key(one), unused -> new ArrayList<>()).add(one);
      }
    }
  }

  ImmutableList<ObjectProblem> problems(LintObject pods) {
    Stream<ObjectProblem> labels =
        isMember(pods)
            ? Stream.of(size(pods), missingGate(pods)).flatMap(Optional::stream)
            : sizeAlone(pods).stream();
    return Stream.concat(labels, gates(pods)).collect(ImmutableList.toImmutableList());
  }

  private boolean isMember(LintObject pods) {
    return label(pods, groupLabel()).isTextual();
  }

  private Key key(LintObject pods) {
    return new Key(pods.namespace(), label(pods, groupLabel()).asText());
  }

  private String groupLabel() {
    return driver + "/group";
  }

  private String sizeLabel() {
    return driver + "/group-size";
  }

  private static JsonNode label(LintObject pods, String name) {
    return pods.part(pods.kind().podLabels()).path(name);
  }

  private ObjectProblem ofSize(LintObject pods, String problem) {
    return ObjectProblem.at(
        "%s[%s]".formatted(pods.kind().podLabels(), sizeLabel()), problem + PAGE);
  }

  private Optional<ObjectProblem> sizeAlone(LintObject pods) {
    return label(pods, sizeLabel()).isMissingNode()
        ? Optional.empty()
        : Optional.of(ofSize(pods, "Forbidden: there is no label " + groupLabel()));
  }

  private Optional<ObjectProblem> size(LintObject pods) {
    JsonNode size = label(pods, sizeLabel());
    if (size.isMissingNode()) {
      return Optional.of(ofSize(pods, "Required value: the number of members of the group"));
    }
    String text = size.asText();
    Integer number = Ints.tryParse(text);
    if (!size.isTextual()
        || number == null
        || number < GroupQuorum.MIN_SIZE
        || number > GroupQuorum.MAX_SIZE) {
      return Optional.of(
          ofSize(
              pods,
              "Invalid value: %s: a number from \"%d\" to \"%d\" in quotation marks is allowed"
                  .formatted(
                      ProblemList.shortened(size.toString()),
                      GroupQuorum.MIN_SIZE,
                      GroupQuorum.MAX_SIZE)));
    }
    return otherSize(pods, text).or(() -> pods(pods, number)).map(why -> ofSize(pods, why));
  }

  /** The objects of the group as they are seen from one of them. */
  private Stream<LintObject> members(LintObject from) {
    return groups.getOrDefault(key(from), List.of()).stream()
        .limit(MAX_OBJECTS)
        .filter(one -> one.name().isEmpty() || isSeen(one, from));
  }

  private boolean isSeen(LintObject one, LintObject from) {
    return given
        .find(one.kind(), one.name(), from)
        .filter(seen -> seen.source().name().equals(one.source().name()))
        .isPresent();
  }

  private Optional<String> otherSize(LintObject pods, String size) {
    return members(pods)
        .filter(one -> label(one, sizeLabel()).isTextual())
        .filter(one -> !label(one, sizeLabel()).asText().equals(size))
        .map(
            one ->
                "Invalid value: \"%s\": \"%s\" of %s %s, of the same group"
                    .formatted(
                        size,
                        ProblemList.shortened(label(one, sizeLabel()).asText()),
                        one.kindName(),
                        one.name()))
        .findFirst();
  }

  /** Other texts may have more members, but hardly of a group of one Job. */
  private Optional<String> pods(LintObject pods, int size) {
    List<LintObject> members = members(pods).toList();
    boolean mayHaveMore = members.size() > 1 || pods.kind() == LintKind.POD;
    long sum = 0;
    for (LintObject one : members) {
      Optional<Integer> count = ManifestPodCount.of(one);
      if (count.isEmpty()) {
        return Optional.empty();
      }
      sum += count.get();
    }
    return sum == size || (sum < size && mayHaveMore)
        ? Optional.empty()
        : Optional.of(
            "Invalid value: \"%d\": the group has %d pods at a time here (completions, parallelism, replicas)"
                .formatted(size, sum));
  }

  private Optional<ObjectProblem> missingGate(LintObject pods) {
    boolean gated = gateNames(pods).anyMatch(gate::equals) || isGatedByNamespace(pods);
    return gated
        ? Optional.empty()
        : Optional.of(
            ObjectProblem.at(
                pods.kind().podSpec() + ".schedulingGates",
                "Required value: \"%s\": without this gate the labels of the group have no effect%s"
                    .formatted(gate, PAGE)));
  }

  private boolean isGatedByNamespace(LintObject pods) {
    return given
        .find(LintKind.NAMESPACE, pods.namespace(), pods)
        .map(found -> found.part("metadata.labels").path(driver + "/grant-first").asText())
        .filter("true"::equals)
        .isPresent();
  }

  private static Stream<String> gateNames(LintObject pods) {
    return Streams.stream(pods.part(pods.kind().podSpec()).path("schedulingGates"))
        .map(one -> one.path("name").asText());
  }

  private Stream<ObjectProblem> gates(LintObject pods) {
    List<String> names = gateNames(pods).toList();
    String path = pods.kind().podSpec() + ".schedulingGates";
    Stream<ObjectProblem> misspelt =
        names.stream()
            .filter(name -> !name.equals(gate))
            .filter(name -> NameSuggestion.nearest(name, ImmutableList.of(gate)).isPresent())
            .map(
                name ->
                    ObjectProblem.at(
                        "%s[%d].name".formatted(path, names.indexOf(name)),
                        "Invalid value: \"%s\": nothing removes this gate, did you mean \"%s\"?"
                            .formatted(name, gate)));
    boolean idle =
        names.contains(gate)
            && !isMember(pods)
            && pods.part(pods.kind().podSpec()).path("resourceClaims").isEmpty();
    return idle
        ? Stream.concat(
            misspelt,
            Stream.of(
                ObjectProblem.at(
                    path, "Forbidden: \"%s\" has no effect without claims".formatted(gate))))
        : misspelt;
  }
}
