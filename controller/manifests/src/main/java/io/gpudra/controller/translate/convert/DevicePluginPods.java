package io.gpudra.controller.translate.convert;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.lint.yaml.LocatedValue;
import io.gpudra.controller.translate.ObjectNames;
import io.gpudra.controller.translate.SourceObjects.SourceObject;
import io.gpudra.controller.translate.TranslationSession;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The limits by which containers ask a device plugin for GPUs: each becomes an entry of the pod
 * with a template of its own.
 *
 * @param entries what the containers ask for
 */
record DevicePluginPods(PodConversion pod, ImmutableList<PluginEntry> entries) {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final String GPU = "nvidia.com/gpu";
  private static final String SHARED = "nvidia.com/gpu.shared";
  private static final String MIG = "nvidia.com/mig-";
  private static final String OF_CLASS = "deviceclass.resource.kubernetes.io/";
  private static final String ENTRY = "gpu";

  /**
   * What a container asks for.
   *
   * @param init whether the container ends before the others start
   */
  record PluginLimit(String container, boolean init, String key, long count) {

    /** An init container gets the devices that a container gets after it. */
    boolean serves(PluginLimit other) {
      return equals(other) || (other.init && key.equals(other.key) && count == other.count);
    }
  }

  /** An entry of the pod. */
  record PluginEntry(String name, PluginLimit limit) {}

  static DevicePluginPods of(PodConversion pod) {
    List<PluginLimit> asked = pod.containers().flatMap(one -> limits(one, pod)).toList();
    List<PluginLimit> own = new ArrayList<>();
    asked.stream()
        .filter(limit -> own.stream().noneMatch(other -> other.serves(limit)))
        .forEach(own::add);
    return new DevicePluginPods(
        pod,
        own.stream()
            .map(limit -> new PluginEntry(name(limit, own), limit))
            .collect(toImmutableList()));
  }

  private static String name(PluginLimit limit, List<PluginLimit> all) {
    long before =
        all.subList(0, all.indexOf(limit)).stream()
            .filter(one -> one.container().equals(limit.container()))
            .count();
    String name = all.size() == 1 ? ENTRY : ENTRY + "-" + limit.container();
    return ObjectNames.fitting(before == 0 ? name : name + "-" + (before + 1));
  }

  private static Stream<PluginLimit> limits(LocatedValue container, PodConversion pod) {
    JsonNode json = container.value();
    boolean init = pod.isInit(json);
    return json.path("resources").path("limits").properties().stream()
        .filter(limit -> isOfGpus(limit.getKey(), pod) && limit.getValue().asLong() > 0)
        .map(
            limit ->
                new PluginLimit(
                    json.path("name").asText(), init, limit.getKey(), limit.getValue().asLong()));
  }

  private static boolean isOfGpus(String key, PodConversion pod) {
    return key.equals(GPU)
        || key.equals(SHARED)
        || key.startsWith(MIG)
        || key.startsWith(OF_CLASS)
        || ofClass(key, pod).isPresent();
  }

  /** The class whose devices are asked for by this name. */
  private static Optional<String> ofClass(String key, PodConversion pod) {
    return pod.session()
        .objects()
        .of(ClassConversion.GROUP_KIND)
        .filter(one -> one.json().path("spec").path("extendedResourceName").asText().equals(key))
        .map(SourceObject::name)
        .findFirst();
  }

  /** The entries for the pod. */
  Stream<ObjectNode> podEntries() {
    return entries.stream()
        .map(
            entry -> {
              ObjectNode json = NODES.objectNode().put("name", entry.name());
              json.putObject("source").put("resourceClaimTemplateName", template(entry));
              return json;
            });
  }

  private String template(PluginEntry entry) {
    return ObjectNames.fitting(pod.workload() + "-" + entry.name());
  }

  /** The names of the entries whose devices a container sees. */
  Stream<String> namesFor(LocatedValue container) {
    return limits(container, pod)
        .flatMap(limit -> entries.stream().filter(one -> one.limit().serves(limit)).limit(1))
        .map(PluginEntry::name);
  }

  /** Takes the limits out, and the requests that are equal to them. */
  void takeOut(ObjectNode resources) {
    for (String field : List.of("limits", "requests")) {
      if (resources.get(field) instanceof ObjectNode amounts
          && amounts.properties().removeIf(one -> isOfGpus(one.getKey(), pod))
          && amounts.isEmpty()) {
        resources.remove(field);
      }
    }
  }

  /** Tells that a quota of GPUs of the device plugin counts nothing. */
  static void remarkQuota(SourceObject quota, TranslationSession session) {
    quota.json().path("spec").path("hard").properties().stream()
        .map(Map.Entry::getKey)
        .filter(key -> key.startsWith("requests." + GPU) || key.startsWith("requests." + MIG))
        .forEach(
            key -> session.remark(quota, "spec.hard." + key, ConversionField.GPU_QUOTA_OF_PLUGIN));
  }

  /** Adds the templates, and takes out the rest of what the device plugin needed. */
  void write() {
    entries.forEach(this::write);
    if (!entries.isEmpty()) {
      pod.takeOutRuntime();
    }
  }

  private void write(PluginEntry entry) {
    ObjectNode parameters = parameters(entry.limit());
    String name = template(entry);
    String namespace = pod.object().namespace();
    if (!parameters.isEmpty()) {
      pod.session().before(pod.object(), LaterClaims.parameters(name, namespace, parameters));
    }
    pod.session()
        .before(
            pod.object(),
            LaterClaims.template(name, namespace, className(entry.limit().key()), parameters));
    if (entry.limit().key().equals(SHARED)) {
      pod.remark(ConversionField.SHARED_LIMIT, pod.session().options().shareMemory());
    }
  }

  private String className(String key) {
    return key.startsWith(OF_CLASS)
        ? key.substring(OF_CLASS.length())
        : ofClass(key, pod).orElse(pod.session().options().className());
  }

  private ObjectNode parameters(PluginLimit limit) {
    ObjectNode parameters = NODES.objectNode();
    if (limit.count() > 1) {
      parameters.put("count", limit.count());
    }
    if (limit.key().equals(SHARED)) {
      parameters.put("memoryLimit", pod.session().options().shareMemory());
    } else if (limit.key().startsWith(MIG)) {
      parameters.put("migProfile", profile(limit.key().substring(MIG.length())));
    }
    return parameters;
  }

  /** Names of resources have no plus. */
  private static String profile(String written) {
    return written.endsWith(".me") ? written.replaceFirst("[.]me$", "+me") : written;
  }
}
