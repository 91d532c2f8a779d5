package io.gpudra.controller.lint;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.PodFacts.Container;
import io.gpudra.controller.dra.facts.PodUse;
import io.gpudra.controller.gpu.GpuChecks;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.lint.object.LintKind;
import io.gpudra.controller.lint.object.ObjectProblem;
import io.gpudra.crds.model.ClaimUid;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Checks how the pods of an object use claims, if these are given. */
record PodCheck(ManifestObjects given, ManifestClaimReader reader, GpuChecks checks) {

  /** The maximum number of entries, as in the controller. */
  private static final int MAX = Long.SIZE;

  /** An entry of {@code resourceClaims}; {@code reading} is empty if its claim is not given. */
  private record Entry(String name, Optional<ManifestClaim> reading) {

    PodUse.Entry use() {
      return reading
          .map(one -> one.entry(name))
          .orElseGet(() -> new PodUse.Entry(name, Optional.empty(), Optional.empty()));
    }
  }

  ImmutableList<ObjectProblem> problems(LintObject pods) {
    JsonNode spec = pods.part(pods.kind().podSpec());
    List<Entry> entries = entries(spec, pods);
    PodUse use =
        new PodUse(
            entries.stream().map(Entry::use).collect(ImmutableList.toImmutableList()),
            containers(spec, entries));
    ImmutableList<PendingClaim<GpuRequest>> pending = pending(entries, use);
    ImmutableList.Builder<ObjectProblem> told = ImmutableList.builder();
    Set<String> before = new HashSet<>();
    checks
        .problems(pending)
        .forEach(
            (uid, problems) ->
                problems.stream()
                    .map(problem -> inDocument(problem, uid, entries, pods))
                    .filter(one -> before.add(one.text()))
                    .forEach(told::add));
    return told.build();
  }

  /** Entries of the same claim count once. */
  private static ImmutableList<PendingClaim<GpuRequest>> pending(List<Entry> entries, PodUse use) {
    Set<ClaimUid> seen = new HashSet<>();
    return entries.stream()
        .flatMap(entry -> entry.reading().stream())
        .flatMap(reading -> reading.pending(use).stream())
        .filter(claim -> seen.add(claim.claim().uid()))
        .collect(ImmutableList.toImmutableList());
  }

  private static ObjectProblem inDocument(
      String problem, ClaimUid uid, List<Entry> entries, LintObject pods) {
    int number = 0;
    while (entries.get(number).reading().filter(one -> one.uid().equals(uid)).isEmpty()) {
      number++;
    }
    String text = entries.get(number).reading().orElseThrow().named(problem);
    return new ObjectProblem(
        "%s.resourceClaims[%d]".formatted(pods.kind().podSpec(), number), text);
  }

  private List<Entry> entries(JsonNode spec, LintObject pods) {
    List<Entry> entries = new ArrayList<>();
    for (JsonNode entry : spec.path("resourceClaims")) {
      if (entries.size() < MAX) {
        entries.add(
            new Entry(
                entry.path("name").asText(), reading(entry.path("source"), pods, entries.size())));
      }
    }
    return entries;
  }

  private Optional<ManifestClaim> reading(JsonNode source, LintObject pods, int number) {
    String claim = source.path("resourceClaimName").asText();
    return claim.isEmpty()
        ? given
            .find(LintKind.TEMPLATE, source.path("resourceClaimTemplateName").asText(), pods)
            .map(template -> reader.read(template, new ClaimUid("template " + number)))
        : given
            .find(LintKind.CLAIM, claim, pods)
            .map(one -> reader.read(one, new ClaimUid("claim " + claim)));
  }

  private static ImmutableList<Container> containers(JsonNode spec, List<Entry> entries) {
    return Stream.of("initContainers", "containers")
        .flatMap(list -> stream(spec.path(list)))
        .limit(MAX)
        .map(one -> new Container(one.path("name").asText(), used(one, entries)))
        .collect(ImmutableList.toImmutableList());
  }

  /** The entries that the container uses, one bit for each. */
  private static long used(JsonNode container, List<Entry> entries) {
    List<String> names = entries.stream().map(Entry::name).toList();
    return stream(container.path("resources").path("claims"))
        .map(claim -> names.indexOf(claim.path("name").asText()))
        .filter(number -> number >= 0)
        .mapToLong(number -> 1L << number)
        .reduce(0, (a, b) -> a | b);
  }

  private static Stream<JsonNode> stream(JsonNode list) {
    return Streams.stream(list);
  }
}
