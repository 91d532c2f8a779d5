package io.gpudra.scenarios.script;

import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import com.google.common.collect.Sets;
import com.google.errorprone.annotations.FormatMethod;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What must be seen, all of it at one moment.
 *
 * @param containers by {@code pod/container}
 * @param pods by name
 * @param claims by name
 * @param same containers that see exactly the same GPUs
 * @param different containers no two of which see a common GPU
 */
public record Expectation(
    ImmutableMap<String, OfContainer> containers,
    ImmutableMap<String, OfPod> pods,
    ImmutableMap<String, OfClaim> claims,
    ImmutableList<ImmutableList<String>> same,
    ImmutableList<ImmutableList<String>> different) {

  /**
   * Of a container that runs.
   *
   * @param gpus how many GPUs its environment names
   * @param model product name of each of them, any when absent
   * @param environment what it says of each of them, by the last part of the variable's name
   */
  public record OfContainer(
      int gpus, @Nullable String model, @Nullable Map<String, String> environment) {

    private Map<String, String> facts() {
      return environment == null ? Map.of() : environment;
    }
  }

  /** Of a pod; what is absent does not matter. */
  public record OfPod(@Nullable String phase, @Nullable OfEvent event) {}

  /**
   * Of a claim; what is absent does not matter.
   *
   * @param reservedFor number of consumers
   * @param usedBy a container that sees exactly the GPUs of the claim's allocation, on its node
   */
  public record OfClaim(
      @Nullable Boolean allocated,
      @Nullable Integer reservedFor,
      @Nullable String usedBy,
      @Nullable OfEvent event) {}

  /** Of an event on the object: its reason, and text its message contains. */
  public record OfEvent(String reason, @Nullable String text) {
    private boolean matches(Observed.Event event) {
      return event.reason().equals(reason) && (text == null || event.message().contains(text));
    }

    @Override
    public String toString() {
      return text == null ? reason : reason + ": …" + text + "…";
    }
  }

  /** What is wrong with what was seen, one sentence each; empty when nothing is. */
  public ImmutableList<String> differences(Observed seen) {
    Differences found = new Differences();
    containers.forEach((name, wanted) -> container(name, wanted, seen, found));
    pods.forEach((name, wanted) -> pod(name, wanted, seen, found));
    claims.forEach((name, wanted) -> claim(name, wanted, seen, found));
    same.forEach(group -> same(group, seen, found));
    different.forEach(group -> different(group, seen, found));
    return found.all();
  }

  /** What is to be told of it: each container's GPUs, and the events that were waited for. */
  public ImmutableMap<String, String> shown(Observed seen) {
    ImmutableMap.Builder<String, String> shown = ImmutableMap.builder();
    seen.containers().forEach((name, container) -> shown.put(name, container.toString()));
    pods.forEach(
        (name, wanted) ->
            Optional.ofNullable(seen.pods().get(name))
                .flatMap(pod -> first(pod.events(), wanted.event()))
                .ifPresent(event -> shown.put(name, event.toString())));
    claims.forEach(
        (name, wanted) ->
            Optional.ofNullable(seen.claims().get(name))
                .flatMap(claim -> first(claim.events(), wanted.event()))
                .ifPresent(event -> shown.put("claim " + name, event.toString())));
    return shown.buildKeepingLast();
  }

  private static Optional<Observed.Event> first(
      Collection<Observed.Event> events, @Nullable OfEvent wanted) {
    return events.stream().filter(event -> wanted != null && wanted.matches(event)).findFirst();
  }

  /** The names it is about. */
  String subjects() {
    return Joiner.on(", ")
        .join(
            ImmutableSet.copyOf(
                Iterables.concat(containers.keySet(), pods.keySet(), claims.keySet())));
  }

  private static void container(String name, OfContainer wanted, Observed seen, Differences found) {
    Observed.Container container = seen.containers().get(name);
    if (container == null) {
      found.add("container %s: expected to run, does not", name);
      return;
    }
    if (container.gpus().size() != wanted.gpus()) {
      found.add("container %s: expected %d GPUs, saw %s", name, wanted.gpus(), container);
    }
    container.gpus().forEach(gpu -> facts(name, gpu, wanted.facts(), found));
    if (wanted.model() != null) {
      container.gpus().stream()
          .filter(gpu -> !gpu.model().equals(wanted.model()))
          .forEach(
              gpu ->
                  found.add(
                      "container %s: expected model %s, saw %s with %s",
                      name, wanted.model(), gpu.name(), gpu.model()));
    }
  }

  private static void facts(
      String name, Observed.Device gpu, Map<String, String> wanted, Differences found) {
    wanted.forEach(
        (fact, value) -> {
          String seen = gpu.facts().get(fact);
          if (!value.equals(seen)) {
            found.add(
                "container %s: expected %s %s, saw %s with %s",
                name, fact, value, gpu.name(), Objects.toString(seen, "none"));
          }
        });
  }

  private static void pod(String name, OfPod wanted, Observed seen, Differences found) {
    Observed.Pod pod = seen.pods().get(name);
    if (pod == null) {
      found.add("pod %s: expected to exist, does not", name);
      return;
    }
    if (wanted.phase() != null && !wanted.phase().equals(pod.phase())) {
      found.add("pod %s: expected phase %s, saw %s", name, wanted.phase(), pod.phase());
    }
    event("pod " + name, wanted.event(), pod.events(), found);
  }

  private static void claim(String name, OfClaim wanted, Observed seen, Differences found) {
    Observed.Claim claim = seen.claims().get(name);
    if (claim == null) {
      found.add("claim %s: expected to exist, does not", name);
      return;
    }
    if (wanted.allocated() != null && wanted.allocated() != claim.allocated()) {
      found.add(
          "claim %s: expected %s, saw %s",
          name, allocation(wanted.allocated()), allocation(claim.allocated()));
    }
    if (wanted.reservedFor() != null && wanted.reservedFor() != claim.reservedFor()) {
      found.add(
          "claim %s: expected %d consumers, saw %d",
          name, wanted.reservedFor(), claim.reservedFor());
    }
    if (wanted.usedBy() != null) {
      usedBy(name, claim, wanted.usedBy(), seen, found);
    }
    event("claim " + name, wanted.event(), claim.events(), found);
  }

  private static void usedBy(
      String name, Observed.Claim claim, String user, Observed seen, Differences found) {
    Observed.Container container = seen.containers().get(user);
    if (container == null) {
      found.add("container %s: expected to run, does not", user);
    } else if (!container.uuids().equals(claim.uuids())
        || !claim.node().equals(Optional.of(container.node()))) {
      found.add(
          "claim %s: expected %s to see %s on %s, saw %s on %s",
          name,
          user,
          claim.uuids(),
          claim.node().orElse("no node"),
          container.uuids(),
          container.node());
    }
  }

  private static void event(
      String subject,
      @Nullable OfEvent wanted,
      Collection<Observed.Event> events,
      Differences found) {
    if (wanted != null && first(events, wanted).isEmpty()) {
      found.add("%s: expected event \"%s\", saw %s", subject, wanted, events);
    }
  }

  private static void same(List<String> group, Observed seen, Differences found) {
    long running = group.stream().filter(seen.containers()::containsKey).count();
    long distinct =
        group.stream()
            .map(seen.containers()::get)
            .filter(Objects::nonNull)
            .map(Observed.Container::uuids)
            .distinct()
            .count();
    if (running < group.size() || distinct != 1) {
      found.add("expected the same GPUs in %s, saw %s", group, describe(group, seen));
    }
  }

  private static void different(List<String> group, Observed seen, Differences found) {
    List<Observed.Container> running =
        group.stream().map(seen.containers()::get).filter(Objects::nonNull).toList();
    for (int i = 0; i < running.size(); i++) {
      for (int k = i + 1; k < running.size(); k++) {
        if (!Sets.intersection(running.get(i).uuids(), running.get(k).uuids()).isEmpty()) {
          found.add("expected different GPUs in %s, saw %s", group, describe(group, seen));
          return;
        }
      }
    }
  }

  private static List<String> describe(List<String> group, Observed seen) {
    return group.stream()
        .map(name -> name + " " + Objects.toString(seen.containers().get(name), "not running"))
        .toList();
  }

  private static String allocation(boolean allocated) {
    return allocated ? "an allocation" : "no allocation";
  }

  /** Collects sentences. */
  private static final class Differences {
    private final ImmutableList.Builder<String> sentences = ImmutableList.builder();

    @FormatMethod
    private void add(String sentence, @Nullable Object... values) {
      sentences.add(String.format(sentence, values));
    }

    private ImmutableList<String> all() {
      return sentences.build();
    }
  }
}
