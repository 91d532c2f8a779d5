package io.gpudra.controller.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Streams;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.PodFacts.PodClaim;
import io.gpudra.controller.dra.facts.PodFacts.Resolution;
import io.gpudra.controller.kube.mapping.PodSight;
import io.gpudra.controller.view.Sight;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.PodRef;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Whether the four components run with the feature gate, as they say themselves or as what they
 * leave undone tells. A component that neither says nor shows it is left out.
 */
record Gates(Reader reader, Sight sight) {
  static final String SERVER = "kube-apiserver";
  static final String SCHEDULER = "kube-scheduler";
  static final String CONTROLLERS = "kube-controller-manager";

  private static final String GATE = "DynamicResourceAllocation";
  private static final Pattern METRIC =
      Pattern.compile("(?m)^kubernetes_feature_enabled\\{name=\"" + GATE + "\"[^}]*} ([01])");
  private static final int MOST_KUBELETS = 8;

  /** Whoever works has answered by then. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** By component; of kubelets those of a few nodes. */
  ImmutableMap<String, Boolean> of(ImmutableSet<String> nodes) throws IOException {
    Map<String, Boolean> gates = new TreeMap<>();
    metric(reader.text(SERVER, "/metrics")).ifPresent(on -> gates.put(SERVER, on));
    flags(SCHEDULER).or(this::schedulerShows).ifPresent(on -> gates.put(SCHEDULER, on));
    flags(CONTROLLERS).or(this::controllersShow).ifPresent(on -> gates.put(CONTROLLERS, on));
    for (String node : nodes.stream().limit(MOST_KUBELETS).toList()) {
      kubelet(node).ifPresent(on -> gates.put("kubelet of " + node, on));
    }
    return ImmutableMap.copyOf(gates);
  }

  static Optional<Boolean> metric(String page) {
    Matcher line = METRIC.matcher(page);
    return line.find() ? Optional.of(line.group(1).equals("1")) : Optional.empty();
  }

  /** Of a component that runs as a pod of the cluster. */
  private Optional<Boolean> flags(String component) throws IOException {
    JsonNode pods =
        reader.get(
            component,
            "/api/v1/namespaces/kube-system/pods?labelSelector="
                + Reader.escaped("component=" + component));
    return Streams.stream(pods.path("items"))
        .flatMap(pod -> Stream.of("command", "args").map(pod.at("/spec/containers/0")::path))
        .flatMap(Streams::stream)
        .map(JsonNode::asText)
        .filter(word -> word.startsWith("--feature-gates="))
        .findFirst()
        .map(word -> Splitter.on(',').splitToList(word.substring(word.indexOf('=') + 1)))
        .map(set -> set.contains(GATE + "=true") || set.contains("AllAlpha=true"))
        .or(() -> pods.path("items").isEmpty() ? Optional.empty() : Optional.of(false));
  }

  private Optional<Boolean> kubelet(String node) throws IOException {
    JsonNode config =
        reader.get("kubelets", "/api/v1/nodes/" + Reader.escaped(node) + "/proxy/configz");
    JsonNode gates = config.at("/kubeletconfig/featureGates");
    return config.isMissingNode()
        ? Optional.empty()
        : Optional.of(gates.path(GATE).asBoolean() || gates.path("AllAlpha").asBoolean());
  }

  /** It makes claims of templates at once. */
  private Optional<Boolean> controllersShow() {
    boolean idle =
        waiting()
            .flatMap(pod -> pod.facts().claims().stream())
            .anyMatch(entry -> entry.resolution() instanceof Resolution.NotYet);
    return idle ? Optional.of(false) : Optional.empty();
  }

  /** It makes a scheduling context for a pod whose claims wait, or leaves the pod where it is. */
  private Optional<Boolean> schedulerShows() {
    Set<PodRef> known = new HashSet<>();
    sight.objects().contexts().forEach(context -> known.add(context.pod()));
    ImmutableMap<ClaimRef, ClaimFacts> claims = claims();
    boolean ignores =
        sight.objects().pods().stream()
            .filter(pod -> pod.node().isPresent() && !pod.facts().deleting())
            .anyMatch(pod -> waitsForPod(pod, claims));
    boolean idle =
        waiting()
            .filter(pod -> pod.node().isEmpty() && !known.contains(pod.facts().ref()))
            .anyMatch(pod -> waitsForPod(pod, claims));
    return ignores || idle ? Optional.of(false) : Optional.empty();
  }

  private Stream<PodSight> waiting() {
    return sight.objects().pods().stream()
        .filter(pod -> !pod.facts().deleting())
        .filter(pod -> pod.created().isBefore(sight.now().minus(PATIENCE)));
  }

  /** Whether all its claims are there, and one is to be allocated for it. */
  private static boolean waitsForPod(PodSight pod, ImmutableMap<ClaimRef, ClaimFacts> claims) {
    return !pod.facts().claims().isEmpty()
        && pod.facts().claims().stream().allMatch(entry -> claim(entry, claims).isPresent())
        && pod.facts().claims().stream()
            .flatMap(entry -> claim(entry, claims).stream())
            .anyMatch(
                claim ->
                    claim.mode() == ClaimFacts.Mode.DELAYED
                        && claim.allocation().isEmpty()
                        && !claim.structured());
  }

  private ImmutableMap<ClaimRef, ClaimFacts> claims() {
    return sight.cluster().reading().claims().stream()
        .collect(ImmutableMap.toImmutableMap(ClaimFacts::ref, claim -> claim));
  }

  private static Optional<ClaimFacts> claim(
      PodClaim entry, ImmutableMap<ClaimRef, ClaimFacts> claims) {
    return entry.resolution() instanceof Resolution.To to
        ? Optional.ofNullable(claims.get(to.claim()))
        : Optional.empty();
  }
}
