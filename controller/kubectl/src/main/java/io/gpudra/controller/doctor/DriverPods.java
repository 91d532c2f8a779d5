package io.gpudra.controller.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import io.gpudra.controller.doctor.InstallationState.Member;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The pods of controllers and plugins. */
record DriverPods(InstallationReader reader) {
  private static final String STANDARD_NAME = "gpu.resource.example.com";
  private static final Pattern WAITS_FOR_DRIVER =
      Pattern.compile("no GPU can be served yet reason=\"?([^\"\\n]*)");

  /** The logs of all nodes are mostly the same. */
  private static final int MAX_LOGS = 8;

  /** Pods of one program in all namespaces, without terminating ones. */
  ImmutableList<Member> named(String app) throws IOException {
    List<JsonNode> pods = new ArrayList<>();
    String selector = InstallationReader.escaped("app.kubernetes.io/name=" + app);
    reader.keep(app + " pods", "/api/v1/pods?labelSelector=" + selector, pods::add);
    ImmutableList.Builder<Member> members = ImmutableList.builder();
    int logs = 0;
    pods.removeIf(pod -> pod.at("/metadata").has("deletionTimestamp"));
    for (JsonNode pod : pods) {
      boolean asks = !ready(pod) && logs < MAX_LOGS;
      logs += asks ? 1 : 0;
      members.add(member(pod, asks ? trouble(app, pod) : stated(pod)));
    }
    return members.build();
  }

  private static Member member(JsonNode pod, String trouble) {
    JsonNode container = pod.at("/spec/containers/0");
    return new Member(
        pod.at("/metadata/namespace").asText(),
        pod.at("/metadata/name").asText(),
        pod.at("/spec/nodeName").asText(),
        pod.at("/spec/serviceAccountName").asText("default"),
        driverName(container),
        hasGates(container),
        tag(container.path("image").asText()),
        ready(pod),
        trouble);
  }

  static String driverName(JsonNode container) {
    return option(container, "--driver-name", "DRIVER_NAME").orElse(STANDARD_NAME);
  }

  static boolean hasGates(JsonNode container) {
    return option(container, "--gates", "GATES").filter(Boolean::parseBoolean).isPresent();
  }

  private static Optional<String> option(JsonNode container, String name, String variable) {
    ImmutableList<String> words =
        Stream.of(container.path("command"), container.path("args"))
            .flatMap(Streams::stream)
            .map(JsonNode::asText)
            .collect(ImmutableList.toImmutableList());
    return Stream.concat(
            words.stream()
                .filter(word -> word.startsWith(name + "="))
                .map(word -> word.substring(name.length() + 1)),
            words.contains(name) ? Stream.of(following(words, name)) : Stream.empty())
        .findFirst()
        .or(
            () ->
                Streams.stream(container.path("env"))
                    .filter(entry -> entry.path("name").asText().equals(variable))
                    .map(entry -> entry.path("value").asText())
                    .findFirst());
  }

  /** The word after the option; {@code true} if it has no value. */
  private static String following(ImmutableList<String> words, String name) {
    int next = words.indexOf(name) + 1;
    return next < words.size() && !words.get(next).startsWith("-") ? words.get(next) : "true";
  }

  /** The tag of an image; empty for an image with a digest. */
  static String tag(String image) {
    int colon = image.lastIndexOf(':');
    return image.contains("@") || colon < image.lastIndexOf('/') + 1
        ? ""
        : image.substring(colon + 1);
  }

  private static boolean ready(JsonNode pod) {
    return Streams.stream(pod.at("/status/conditions"))
        .anyMatch(
            condition ->
                condition.path("type").asText().equals("Ready")
                    && condition.path("status").asText().equals("True"));
  }

  private String trouble(String app, JsonNode pod) throws IOException {
    String path =
        "/api/v1/namespaces/%s/pods/%s/log?tailLines=50&limitBytes=65536"
            .formatted(pod.at("/metadata/namespace").asText(), pod.at("/metadata/name").asText());
    Matcher waits = WAITS_FOR_DRIVER.matcher(reader.text("logs of " + app, path));
    String last = "";
    while (waits.find()) {
      last = PodChecks.WAITS_FOR_DRIVER + InstallationReader.brief(waits.group(1));
    }
    return last.isEmpty() ? stated(pod) : last;
  }

  /** The state of a pod, from its status. */
  private static String stated(JsonNode pod) {
    String said =
        Stream.concat(
                Streams.stream(pod.at("/status/containerStatuses"))
                    .flatMap(DriverPods::ofContainer),
                Streams.stream(pod.at("/status/conditions"))
                    .filter(condition -> condition.path("status").asText().equals("False"))
                    .filter(condition -> !condition.path("message").asText().isEmpty())
                    .map(condition -> condition.path("message").asText()))
            .distinct()
            .limit(3)
            .collect(Collectors.joining("; "));
    return InstallationReader.brief(said.isEmpty() ? pod.at("/status/phase").asText() : said);
  }

  private static Stream<String> ofContainer(JsonNode status) {
    JsonNode waiting = status.at("/state/waiting");
    JsonNode ended = status.at("/lastState/terminated");
    Stream<String> now =
        waiting.isMissingNode()
            ? Stream.empty()
            : Stream.of(waiting.path("reason").asText() + " " + waiting.path("message").asText());
    Stream<String> before =
        ended.isMissingNode()
            ? Stream.empty()
            : Stream.of("ended with exit code " + ended.path("exitCode").asText());
    return Stream.concat(now, before);
  }
}
