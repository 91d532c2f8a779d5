package io.gpudra.controller.translate.convert;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import com.google.common.collect.Streams;
import io.gpudra.controller.lint.object.LintKind;
import io.gpudra.controller.translate.ObjectNames;
import io.gpudra.controller.translate.SourceObjects;
import io.gpudra.controller.translate.SourceObjects.SourceObject;
import io.gpudra.controller.translate.TranslationSession;
import io.gpudra.controller.translate.V1Devices;
import io.gpudra.controller.translate.V1Devices.V1Request;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The claims that one claim of later versions becomes: there a container may see a single request
 * of a claim, and requests of several classes stand side by side.
 *
 * @param named the claims and templates of which a container names a request
 */
record RequestSplit(Set<SourceObject> named) {
  /**
   * One of the claims.
   *
   * @param suffix of the names of the claim and of the entry of a pod; empty if it is the only one
   */
  record ClaimPart(String suffix, ImmutableList<V1Request> requests) {

    boolean has(String request) {
      return requests.stream().anyMatch(one -> one.name().equals(request));
    }

    /** The name of the claim, or of the entry, that has this part. */
    String name(String whole) {
      return suffix.isEmpty() ? whole : ObjectNames.fitting(whole + suffix);
    }
  }

  /** That of all objects. */
  static RequestSplit of(TranslationSession session) {
    SourceObjects objects = session.objects();
    return session.once(RequestSplit.class, objects, () -> of(objects));
  }

  private static RequestSplit of(SourceObjects objects) {
    Set<SourceObject> named = Sets.newIdentityHashSet();
    objects.all().stream().flatMap(object -> named(object, objects)).forEach(named::add);
    return new RequestSplit(named);
  }

  private static Stream<SourceObject> named(SourceObject object, SourceObjects objects) {
    return LintKind.of(object.apiVersion(), object.kind()).map(LintKind::podSpec).stream()
        .flatMap(path -> object.at(path).stream())
        .flatMap(spec -> named(spec.value(), object, objects));
  }

  private static Stream<SourceObject> named(
      JsonNode spec, SourceObject object, SourceObjects objects) {
    ImmutableSet<String> entries =
        Stream.of("containers", "initContainers")
            .flatMap(list -> Streams.stream(spec.path(list)))
            .flatMap(container -> Streams.stream(container.path("resources").path("claims")))
            .filter(claim -> claim.has("request"))
            .map(claim -> claim.path("name").asText())
            .collect(toImmutableSet());
    return Streams.stream(spec.path("resourceClaims"))
        .filter(entry -> entries.contains(entry.path("name").asText()))
        .flatMap(entry -> PodConversion.claim(entry, object, objects).stream());
  }

  /** Whether constraints keep its requests together. */
  boolean isTied(SourceObject claim) {
    V1Devices devices = devices(claim);
    return devices.requests().size() > 1 && !devices.constraints().isEmpty();
  }

  private static V1Devices devices(SourceObject claim) {
    return V1Devices.of(claim.claim().value().path("devices"));
  }

  /** The claims that it becomes. */
  ImmutableList<ClaimPart> parts(SourceObject claim) {
    ImmutableList<V1Request> all = devices(claim).requests();
    List<ImmutableList<V1Request>> groups =
        named.contains(claim) && !isTied(claim)
            ? all.stream().map(ImmutableList::of).toList()
            : byClass(all);
    return groups.size() <= 1
        ? ImmutableList.of(new ClaimPart("", all))
        : groups.stream()
            .map(group -> new ClaimPart("-" + group.get(0).name(), group))
            .collect(toImmutableList());
  }

  private static List<ImmutableList<V1Request>> byClass(ImmutableList<V1Request> requests) {
    Map<String, ImmutableList.Builder<V1Request>> groups = new LinkedHashMap<>();
    requests.forEach(
        request ->
            groups
                .computeIfAbsent(
                    request.choices().get(0).deviceClassName(), any -> ImmutableList.builder())
                .add(request));
    return groups.values().stream().map(ImmutableList.Builder::build).toList();
  }
}
