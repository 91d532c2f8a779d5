package io.gpudra.controller.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Streams;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Whether the four components run with the feature gate, from their own metrics and flags or by
 * {@link FeatureGateEvidence}. A component without either is left out.
 */
record FeatureGates(InstallationReader reader, FeatureGateEvidence evidence) {
  static final String SERVER = "kube-apiserver";
  static final String SCHEDULER = "kube-scheduler";
  static final String CONTROLLERS = "kube-controller-manager";

  private static final String GATE = "DynamicResourceAllocation";
  private static final Pattern METRIC =
      Pattern.compile("(?m)^kubernetes_feature_enabled\\{name=\"" + GATE + "\"[^}]*} ([01])");
  private static final int MAX_KUBELETS = 8;

  /** The gates by component, with the kubelets of a few nodes. */
  ImmutableMap<String, Boolean> of(ImmutableSet<String> nodes) throws IOException {
    Map<String, Boolean> gates = new TreeMap<>();
    metric(reader.text(SERVER, "/metrics")).ifPresent(on -> gates.put(SERVER, on));
    flags(SCHEDULER).or(evidence::ofScheduler).ifPresent(on -> gates.put(SCHEDULER, on));
    flags(CONTROLLERS).or(evidence::ofControllers).ifPresent(on -> gates.put(CONTROLLERS, on));
    for (String node : nodes.stream().limit(MAX_KUBELETS).toList()) {
      kubelet(node).ifPresent(on -> gates.put("kubelet of " + node, on));
    }
    return ImmutableMap.copyOf(gates);
  }

  static Optional<Boolean> metric(String page) {
    Matcher line = METRIC.matcher(page);
    return line.find() ? Optional.of(line.group(1).equals("1")) : Optional.empty();
  }

  /** The path of the component's pods, if it runs in pods. */
  static String podsOf(String component) {
    return "/api/v1/namespaces/kube-system/pods?labelSelector="
        + InstallationReader.escaped("component=" + component);
  }

  /** From the flags of a component that runs in pods. */
  private Optional<Boolean> flags(String component) throws IOException {
    JsonNode pods = reader.get(component, podsOf(component));
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
        reader.get(
            "kubelets", "/api/v1/nodes/" + InstallationReader.escaped(node) + "/proxy/configz");
    JsonNode gates = config.at("/kubeletconfig/featureGates");
    return config.isMissingNode()
        ? Optional.empty()
        : Optional.of(gates.path(GATE).asBoolean() || gates.path("AllAlpha").asBoolean());
  }
}
