package io.gpudra.scenarios.script;

import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Iterables;
import com.google.common.collect.Streams;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Expected state, all of it at one moment.
 *
 * @param containers by {@code pod/container}
 * @param pods by name
 * @param claims by name
 * @param same containers, two or more, that all run and see exactly the same GPUs
 * @param different containers, two or more, that all run and no two of which see a common GPU
 */
public record Expectation(
    ImmutableMap<String, OfContainer> containers,
    ImmutableMap<String, OfPod> pods,
    ImmutableMap<String, OfClaim> claims,
    ImmutableList<ImmutableList<String>> same,
    ImmutableList<ImmutableList<String>> different) {

  /**
   * Of a running container, or of each container that matches a name with {@code *}. A pattern may
   * be negated by {@code !}.
   *
   * @param gpus number of GPUs in its environment
   * @param running number of containers with the name; one, or with {@code *} at least one
   * @param model pattern of the product name of each GPU
   * @param environment patterns of the variables of each GPU, by the last part of the variable's
   *     name
   * @param attributes patterns of the inventory's attributes of each GPU
   * @param alike variables or attributes that must be equal for all its GPUs
   * @param variables patterns of other variables
   */
  public record OfContainer(
      int gpus,
      @Nullable Integer running,
      @Nullable String model,
      @Nullable Map<String, String> environment,
      @Nullable Map<String, String> attributes,
      @Nullable List<String> alike,
      @Nullable Map<String, String> variables) {

    private WantedDevices devices() {
      return WantedDevices.of(gpus, model, attributes, environment, alike);
    }
  }

  /** Of a pod; what is absent does not matter. */
  public record OfPod(@Nullable String phase, @Nullable OfEvent event) {}

  /**
   * Of a claim, or of each that a name with {@code *} is for; what is absent does not matter.
   *
   * @param number how many claims there are by the name; one, or with {@code *} at least one
   * @param reservedFor number of consumers
   * @param usedBy a container that sees the GPUs of the claim's allocation, or parts of each of
   *     them
   * @param gpus how many GPUs its allocation names
   * @param attributes patterns of what the inventory says of each of them
   * @param alike what the inventory says the same of all of them
   */
  public record OfClaim(
      @Nullable Integer number,
      @Nullable Boolean allocated,
      @Nullable Integer reservedFor,
      @Nullable String usedBy,
      @Nullable OfEvent event,
      @Nullable Integer gpus,
      @Nullable Map<String, String> attributes,
      @Nullable List<String> alike) {

    private WantedDevices devices() {
      return WantedDevices.of(gpus, null, attributes, null, alike);
    }
  }

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

  /** Differences from the observed state, one sentence each. */
  public ImmutableList<String> differences(Observed seen) {
    Differences found = new Differences();
    containers.forEach((name, wanted) -> container(name, wanted, seen, found));
    pods.forEach((name, wanted) -> pod(name, wanted, seen, found));
    claims.forEach((name, wanted) -> claims(name, wanted, seen, found));
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
            Named.in(seen.pods(), name, null)
                .things()
                .forEach(
                    (each, pod) ->
                        first(pod.events(), wanted.event())
                            .ifPresent(event -> shown.put(each, event.toString()))));
    claims.forEach(
        (name, wanted) ->
            Named.in(seen.claims(), name, null)
                .things()
                .forEach(
                    (each, claim) -> {
                      if (wanted.gpus() != null) {
                        shown.put("claim " + each, claim.toString());
                      }
                      first(claim.events(), wanted.event())
                          .ifPresent(event -> shown.put("claim " + each, event.toString()));
                    }));
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
    Named<Observed.Container> named = Named.in(seen.containers(), name, wanted.running());
    if (!named.asMany()) {
      found.add(
          "container %s: expected%s to run, %s",
          name, number(wanted.running()), number(named.things().keySet(), "does not"));
    }
    named
        .things()
        .forEach(
            (each, container) -> {
              String subject = "container " + each;
              wanted.devices().compare(subject, container.gpus(), container, found);
              variables(subject, wanted.variables(), container.variables(), found);
            });
  }

  private static void variables(
      String subject,
      @Nullable Map<String, String> wanted,
      Map<String, String> seen,
      Differences found) {
    if (wanted != null) {
      wanted.forEach(
          (name, value) -> {
            String set = seen.get(name);
            if (set == null || !WantedDevices.matches(value, ImmutableSet.of(set))) {
              found.add("%s: expected %s=%s, saw %s", subject, name, value, set);
            }
          });
    }
  }

  private static String number(@Nullable Integer wanted) {
    return wanted == null ? "" : " " + wanted;
  }

  private static String number(Set<String> seen, String none) {
    return seen.isEmpty() ? none : "saw " + seen;
  }

  private static void pod(String name, OfPod wanted, Observed seen, Differences found) {
    Named<Observed.Pod> named = Named.in(seen.pods(), name, null);
    if (!named.asMany()) {
      found.add("pod %s: expected to exist, does not", name);
    }
    named
        .things()
        .forEach(
            (each, pod) -> {
              if (wanted.phase() != null && !wanted.phase().equals(pod.phase())) {
                found.add("pod %s: expected phase %s, saw %s", each, wanted.phase(), pod.phase());
              }
              event("pod " + each, wanted.event(), pod.events(), found);
            });
  }

  private static void claims(String name, OfClaim wanted, Observed seen, Differences found) {
    Named<Observed.Claim> named = Named.in(seen.claims(), name, wanted.number());
    if (!named.asMany()) {
      found.add(
          "claim %s: expected%s to exist, %s",
          name, number(wanted.number()), number(named.things().keySet(), "does not"));
    }
    named.things().forEach((each, claim) -> claim(each, claim, wanted, seen, found));
  }

  private static void claim(
      String name, Observed.Claim claim, OfClaim wanted, Observed seen, Differences found) {
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
    wanted.devices().compare("claim " + name, claim.gpus(), claim, found);
    event("claim " + name, wanted.event(), claim.events(), found);
  }

  private static void usedBy(
      String name, Observed.Claim claim, String user, Observed seen, Differences found) {
    Observed.Container container = seen.containers().get(user);
    if (container == null) {
      found.add("container %s: expected to run, does not", user);
    } else if (!claim.isUsedBy(container)) {
      found.add("claim %s: expected %s to see %s, saw %s", name, user, claim, container);
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
    var running = Named.all(seen.containers(), group);
    if (!canBeCompared(group, running)
        || running.values().stream().map(Observed.Container::uuids).distinct().count() != 1) {
      found.add("expected the same GPUs in %s, saw %s", group, describe(group, running));
    }
  }

  private static void different(List<String> group, Observed seen, Differences found) {
    var running = Named.all(seen.containers(), group);
    List<String> taken =
        running.values().stream().flatMap(container -> container.uuids().stream()).toList();
    if (!canBeCompared(group, running) || ImmutableSet.copyOf(taken).size() < taken.size()) {
      found.add("expected different GPUs in %s, saw %s", group, describe(group, running));
    }
  }

  /** One container is like itself, and what sees nothing is like all that sees nothing. */
  private static boolean canBeCompared(
      List<String> group, ImmutableSortedMap<String, Observed.Container> running) {
    return running.size() > 1
        && running.values().stream().noneMatch(container -> container.gpus().isEmpty())
        && group.stream().noneMatch(name -> Named.in(running, name, null).things().isEmpty());
  }

  private static List<String> describe(
      List<String> group, ImmutableSortedMap<String, Observed.Container> running) {
    return Streams.concat(
            running.entrySet().stream().map(entry -> entry.getKey() + " " + entry.getValue()),
            group.stream()
                .filter(name -> Named.in(running, name, null).things().isEmpty())
                .map(name -> name + " not running"))
        .toList();
  }

  private static String allocation(boolean allocated) {
    return allocated ? "an allocation" : "no allocation";
  }
}
