package io.gpudra.controller.view.explain;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Sets;
import io.gpudra.controller.view.AgeText;
import io.gpudra.controller.view.dryrun.BlockingClaim;
import io.gpudra.controller.view.dryrun.ReleaseRemedy;
import io.gpudra.controller.view.explain.WaitDetails.Help;
import io.gpudra.controller.view.explain.WaitDetails.Place;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.text.ListText;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The text of an explanation. */
record ExplainSentences(ExplainResult explainResult, Instant now) {
  ImmutableList<String> lines() {
    Stream<String> claims =
        explainResult.claims().stream()
            .flatMap(claim -> new ClaimSentences(claim, fits(claim), now).lines());
    return Stream.of(
            header(),
            explainResult.scheduling().map(SchedulingSentences::new).stream()
                .flatMap(pod -> lacksDevices() ? pod.withoutRefusal() : pod.lines()),
            claims,
            explainResult.group().stream().flatMap(ExplainSentences::group),
            explainResult.waiting().stream().flatMap(this::waiting),
            explainResult.notes().stream())
        .flatMap(some -> some)
        .collect(toImmutableList());
  }

  /**
   * Whether no node has the devices: then the scheduler says nothing else. Of a node that has them
   * and that it does not consider, it alone says why.
   */
  private boolean lacksDevices() {
    return explainResult
        .waiting()
        .filter(waits -> waits.offered().isPresent() && waits.fitting().isEmpty())
        .isPresent();
  }

  private static Stream<String> group(GroupDetails group) {
    Stream<String> present =
        group.needed() == 0
            ? Stream.of()
            : Stream.of(
                "%d of %d members are at their gates%s"
                    .formatted(
                        group.present(),
                        group.needed(),
                        group.present() < group.needed()
                            ? "; nothing is allocated before all are"
                            : ""));
    return Stream.of(
            present, group.problems().stream(), group.room().stream().map(ExplainSentences::room))
        .flatMap(some -> some)
        .map(text -> "group %s: %s".formatted(group.name(), text));
  }

  private static String room(GroupDetails.Room room) {
    if (room.decided() && room.fitting() == room.searched()) {
      return "all %d members fit at once by their devices (CPU and memory are not judged)"
          .formatted(room.searched());
    }
    return "%d of %d members fit at once by their devices%s"
        .formatted(
            room.fitting(),
            room.searched(),
            room.shortest()
                .map(" and there is too little room for others like pod "::concat)
                .orElse("; whether all do has too many combinations to decide"));
  }

  /** Members of a group must fit at once, so none fits by itself. */
  private boolean fits(ClaimDetails claim) {
    return explainResult.group().isPresent() ? claim.fitting() > 0 : fits();
  }

  private boolean fits() {
    return explainResult
        .waiting()
        .filter(waitDetails -> !waitDetails.fitting().isEmpty())
        .isPresent();
  }

  private Stream<String> header() {
    String what =
        "%s %s/%s"
            .formatted(
                explainResult.kind().text(), explainResult.namespace(), explainResult.name());
    if (explainResult.kind() == ExplainTarget.Kind.POD) {
      return Stream.of(what + state() + " " + ofPod());
    }
    return explainResult.waiting().stream()
        .map(
            waitDetails ->
                what
                    + " has been waiting for devices for "
                    + AgeText.between(waitDetails.since(), now));
  }

  private String state() {
    return explainResult
        .phase()
        .map(phase -> " (" + phase + explainResult.node().map(" on "::concat).orElse("") + ")")
        .orElse("");
  }

  private String ofPod() {
    if (explainResult.claims().isEmpty()) {
      return "uses no claims";
    }
    return explainResult
        .waiting()
        .map(
            waitDetails ->
                "has been waiting for devices for " + AgeText.between(waitDetails.since(), now))
        .orElse(
            explainResult.waits()
                ? "cannot get devices yet:"
                : explainResult.node().isPresent()
                    ? "has its devices"
                    : "has its devices and waits for a node");
  }

  private Stream<String> waiting(WaitDetails waitDetails) {
    return Stream.of(
            fitting(waitDetails),
            waitDetails.remedy().map(help -> remedy(waitDetails, help)),
            waitDetails.remedy().flatMap(ExplainSentences::evictions),
            Optional.of(
                waitDetails
                    .place()
                    .map(ExplainSentences::place)
                    .orElse("the scheduler has not requested its devices yet")))
        .flatMap(Optional::stream);
  }

  private String remedy(WaitDetails waits, Help help) {
    if (help.remedy() instanceof ReleaseRemedy.Release release) {
      return release(release, help);
    }
    if (help.remedy() instanceof ReleaseRemedy.Claims release) {
      return "%s after the release of %s%s"
          .formatted(
              waits.limit().isPresent() ? "its quota allows it" : "the group can run",
              claims(release.blockers(), help),
              orFewer(release.exact()));
    }
    return help.remedy() instanceof ReleaseRemedy.NotWithin limit
        ? limit.text()
        : "releasing claims would not help";
  }

  private String release(ReleaseRemedy.Release release, Help help) {
    return "it can run on %s after the release of %s%s"
        .formatted(release.node(), claims(release.blockers(), help), orFewer(release.exact()));
  }

  private String claims(ImmutableList<BlockingClaim> blockers, Help help) {
    return listed(
        blockers.stream()
            .map(blockingClaim -> claim(blockingClaim, help))
            .collect(toImmutableList()));
  }

  private static String orFewer(boolean exact) {
    return exact ? "" : "; fewer claims may be enough";
  }

  private String claim(BlockingClaim blockingClaim, Help help) {
    if (blockingClaim.draining()) {
      return blockingClaim.ref() + " (waiting for its node to unprepare it)";
    }
    Optional<Instant> since = Optional.ofNullable(help.since().get(blockingClaim.uid()));
    return blockingClaim.ref()
        + since.map(at -> " (held for " + AgeText.between(at, now) + ")").orElse("");
  }

  private static Optional<String> evictions(Help help) {
    ImmutableList<String> pods =
        help.evictions().stream()
            .map(one -> "%s (priority %d)".formatted(one.pod(), one.priority()))
            .collect(toImmutableList());
    return pods.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "it can run after the eviction of %s, of lower priority; pods are not evicted for devices"
                .formatted(listed(pods)));
  }

  private static String listed(ImmutableList<String> parts) {
    int last = parts.size() - 1;
    return last <= 0
        ? String.join("", parts)
        : String.join(" ", parts.subList(0, last)) + " and " + parts.get(last);
  }

  private static String place(Place place) {
    String higher =
        place.higher() == 0 ? "" : ", after %d of higher priority".formatted(place.higher());
    return "place %d of %d in the queue%s; freed devices are offered in this order"
        .formatted(place.number(), place.of(), higher);
  }

  private static Optional<String> fitting(WaitDetails waitDetails) {
    if (waitDetails.limit().isPresent()) {
      return waitDetails.limit().map(why -> why.text(NamespaceAudience.READER_OF_ALL));
    }
    if (waitDetails.fitting().isEmpty()) {
      return Optional.empty();
    }
    Set<String> considered =
        waitDetails.offered().isEmpty()
            ? waitDetails.fitting()
            : Sets.intersection(waitDetails.fitting(), waitDetails.offered().get());
    return Optional.of(
        considered.isEmpty()
            ? "it fits on %s, which the scheduler does not consider; see the events of the pod"
                .formatted(ListText.of(waitDetails.fitting()))
            : ("it fits on %s by its devices (CPU and memory are not judged); waiting for a node to"
                    + " be chosen")
                .formatted(ListText.of(considered)));
  }
}
