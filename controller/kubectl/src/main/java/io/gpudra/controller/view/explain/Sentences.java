package io.gpudra.controller.view.explain;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.kube.mapping.PodView.Scheduling;
import io.gpudra.controller.view.Ages;
import io.gpudra.controller.view.explain.Waiting.Place;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The text of an explanation. */
record Sentences(Explained explained, Instant now) {
  private static final int MAX_NODES = 8;

  ImmutableList<String> lines() {
    Stream<String> claims =
        explained.claims().stream()
            .flatMap(claim -> new ClaimSentences(claim, fits(), now).lines());
    return Stream.of(
            header(),
            explained.scheduling().stream().flatMap(this::scheduling),
            claims,
            explained.waiting().stream().flatMap(this::waiting),
            explained.notes().stream())
        .flatMap(some -> some)
        .collect(toImmutableList());
  }

  /** Scheduling gates and other schedulers, since both come before the allocation. */
  private Stream<String> scheduling(Scheduling pod) {
    Stream<String> gates =
        pod.gates().isEmpty()
            ? Stream.of()
            : Stream.of(
                "not scheduled until %s %s removed: %s"
                    .formatted(
                        pod.gates().size() == 1 ? "the scheduling gate" : "the scheduling gates",
                        pod.gates().size() == 1 ? "is" : "are",
                        String.join(", ", pod.gates())));
    Stream<String> other =
        pod.isOfDefaultScheduler()
            ? Stream.of()
            : Stream.of("it uses scheduler %s".formatted(pod.scheduler()));
    return Stream.of(
            gates,
            other,
            pod.refusal().stream().map("%s says: ".formatted(pod.scheduler())::concat))
        .flatMap(some -> some);
  }

  private boolean fits() {
    return explained.waiting().filter(waiting -> !waiting.fitting().isEmpty()).isPresent();
  }

  private Stream<String> header() {
    String what =
        "%s %s/%s".formatted(explained.kind().text(), explained.namespace(), explained.name());
    if (explained.kind() == Asked.Kind.POD) {
      return Stream.of(what + state() + " " + ofPod());
    }
    return explained.waiting().stream()
        .map(
            waiting ->
                what + " has been waiting for devices for " + Ages.between(waiting.since(), now));
  }

  private String state() {
    return explained
        .phase()
        .map(phase -> " (" + phase + explained.node().map(" on "::concat).orElse("") + ")")
        .orElse("");
  }

  private String ofPod() {
    if (explained.claims().isEmpty()) {
      return "uses no claims";
    }
    return explained
        .waiting()
        .map(waiting -> "has been waiting for devices for " + Ages.between(waiting.since(), now))
        .orElse(
            explained.waits()
                ? "is blocked by an error:"
                : explained.node().isPresent()
                    ? "has its devices"
                    : "has its devices and waits for a node");
  }

  private Stream<String> waiting(Waiting waiting) {
    return Stream.of(
            fitting(waiting),
            waiting.remedy().map(help -> HelpSentence.of(help, now)),
            Optional.of(
                waiting
                    .place()
                    .map(Sentences::place)
                    .orElse("the scheduler has not requested its devices yet")))
        .flatMap(Optional::stream);
  }

  private static String place(Place place) {
    return "place %d of %d in the queue; freed devices are offered in this order"
        .formatted(place.number(), place.of());
  }

  private static Optional<String> fitting(Waiting waiting) {
    if (waiting.fitting().isEmpty()) {
      return Optional.empty();
    }
    Set<String> considered =
        waiting.offered().isEmpty()
            ? waiting.fitting()
            : Sets.intersection(waiting.fitting(), waiting.offered().get());
    return Optional.of(
        considered.isEmpty()
            ? "it fits on %s, which the scheduler does not consider; see the events of the pod"
                .formatted(named(waiting.fitting()))
            : "it fits on %s; waiting for a node to be chosen".formatted(named(considered)));
  }

  /** The first few names and the number of the others. */
  static String named(Set<String> nodes) {
    ImmutableSet<String> first =
        nodes.stream().limit(MAX_NODES).collect(ImmutableSet.toImmutableSet());
    return String.join(", ", first)
        + (nodes.size() > MAX_NODES ? " and " + (nodes.size() - MAX_NODES) + " more" : "");
  }
}
