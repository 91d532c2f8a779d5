package io.gpudra.controller.manifest;

import static java.util.Objects.requireNonNullElse;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.gpudra.controller.client.LenientJson;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.PodFacts;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.kube.mapping.ClaimMapping;
import io.gpudra.controller.kube.mapping.ClassMapping;
import io.gpudra.controller.kube.mapping.NamespaceMapping;
import io.gpudra.controller.kube.mapping.PodMapping;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.model.ClaimRef;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaim;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaimTemplate;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClass;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Objects of files → facts. Confined to one thread. */
public final class ManifestReader {
  private final String namespace;
  private final ClaimMapping claimMapping;
  private final PodReader podReader;
  private final ManifestCount manifestCount = new ManifestCount();
  private final Map<ClaimRef, ClaimFacts> claims = new LinkedHashMap<>();
  private final Map<String, ClaimTemplate> templates = new LinkedHashMap<>();
  private final Map<String, ClassFacts> classes = new LinkedHashMap<>();
  private final Map<String, GpuClaimParameters> claimParameters = new LinkedHashMap<>();
  private final Map<String, GpuClassParameters> classParameters = new LinkedHashMap<>();
  private final Map<String, ImmutableMap<String, String>> namespaces = new LinkedHashMap<>();
  private final Map<String, Workload> workloads = new LinkedHashMap<>();
  private final List<String> ignored = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  private ManifestReader(KubeSettings settings, String namespace) {
    this.namespace = namespace;
    this.claimMapping = new ClaimMapping(settings.driverName(), settings.finalizer());
    this.podReader = new PodReader(new PodMapping(settings.serverMinor(), settings.driverName()));
  }

  /**
   * Reads all objects; of two objects with the same name, the later one wins. Stops at the maximum
   * number of objects.
   *
   * @param namespace for objects without one
   */
  public static ManifestSet read(
      List<ManifestDocument> documents, KubeSettings settings, String namespace) {
    ManifestReader reader = new ManifestReader(settings, namespace);
    documents.stream()
        .takeWhile(document -> !reader.manifestCount.isOver())
        .forEach(reader::document);
    return reader.drafts();
  }

  private ManifestSet drafts() {
    return new ManifestSet(
        ImmutableMap.copyOf(claims),
        ImmutableMap.copyOf(templates),
        ImmutableMap.copyOf(classes),
        ImmutableMap.copyOf(claimParameters),
        ImmutableMap.copyOf(classParameters),
        ImmutableMap.copyOf(namespaces),
        ImmutableList.copyOf(workloads.values()),
        ImmutableList.copyOf(ignored),
        ImmutableList.copyOf(problems));
  }

  /** A problem of a field. */
  private static final class InvalidManifestException extends RuntimeException {
    private static final long serialVersionUID = 1;

    InvalidManifestException(String problem) {
      super(problem);
    }
  }

  private void document(ManifestDocument document) {
    try {
      object(JsonParser.parseString(document.json()));
    } catch (JsonParseException
        | IllegalArgumentException
        | IllegalStateException
        | InvalidManifestException e) {
      problems.add(document.where() + ": " + problem(e));
    }
  }

  /** The cause of a Gson exception names the path. */
  private static String problem(RuntimeException e) {
    Throwable told = e instanceof JsonParseException && e.getCause() != null ? e.getCause() : e;
    return requireNonNullElse(told.getMessage(), told.toString());
  }

  private void object(JsonElement element) {
    if (!(element instanceof JsonObject object)) {
      throw new InvalidManifestException("an object is expected");
    }
    String kind = text(object, "kind");
    if (kind.equals("List") && object.get("items") != null) {
      object.getAsJsonArray("items").forEach(this::object);
    } else {
      object(text(object, "apiVersion"), kind, object);
    }
  }

  private static String text(JsonObject object, String field) {
    JsonElement value = object.get(field);
    if (value == null || !value.isJsonPrimitive() || value.getAsString().isEmpty()) {
      throw new InvalidManifestException(field + ": Required value");
    }
    return value.getAsString();
  }

  private void object(String apiVersion, String kind, JsonObject object) {
    manifestCount.add(kind + " " + name(metadata(object)), 1);
    String group = apiVersion.contains("/") ? apiVersion.replaceFirst("/.*", "") : "";
    switch (group + "/" + kind) {
      case "resource.k8s.io/ResourceClaim" -> claim(read(object, V1alpha2ResourceClaim.class));
      case "resource.k8s.io/ResourceClaimTemplate" ->
          template(read(object, V1alpha2ResourceClaimTemplate.class));
      case "resource.k8s.io/ResourceClass" -> {
        ClassFacts found = ClassMapping.facts(read(object, V1alpha2ResourceClass.class));
        classes.put(found.name(), found);
      }
      case GpuApi.GROUP + "/" + GpuClaimParameters.KIND -> {
        GpuClaimParameters found = read(object, GpuClaimParameters.class);
        claimParameters.put(key(found.metadata()), found);
      }
      case GpuApi.GROUP + "/" + GpuClassParameters.KIND -> {
        GpuClassParameters found = read(object, GpuClassParameters.class);
        classParameters.put(name(found.metadata()), found);
      }
      case "/Namespace" -> {
        V1Namespace found = read(object, V1Namespace.class);
        namespaces.put(name(found.getMetadata()), NamespaceMapping.labels(found));
      }
      default -> pods(group + "/" + kind, object);
    }
  }

  private void pods(String kind, JsonObject object) {
    switch (kind) {
      case "/Pod" -> {
        V1Pod pod = read(object, V1Pod.class);
        workload(
            "Pod",
            pod.getMetadata(),
            new Count("spec", 1),
            new Pattern("spec", pod.getMetadata(), pod.getSpec()));
      }
      case "apps/Deployment" -> {
        V1Deployment found = read(object, V1Deployment.class);
        var spec = required(found.getSpec(), "spec");
        several(
            "Deployment",
            found.getMetadata(),
            Count.of("spec.replicas", spec.getReplicas()),
            spec.getTemplate());
      }
      case "apps/StatefulSet" -> {
        V1StatefulSet found = read(object, V1StatefulSet.class);
        var spec = required(found.getSpec(), "spec");
        several(
            "StatefulSet",
            found.getMetadata(),
            Count.of("spec.replicas", spec.getReplicas()),
            spec.getTemplate());
      }
      case "batch/Job" -> job(read(object, V1Job.class));
      default -> ignored.add(kind.replaceFirst(".*/", "") + " " + name(metadata(object)));
    }
  }

  private void job(V1Job job) {
    var spec = required(job.getSpec(), "spec");
    Count parallelism = Count.of("spec.parallelism", spec.getParallelism());
    Count completions =
        spec.getCompletions() == null
            ? parallelism
            : Count.of("spec.completions", spec.getCompletions());
    several(
        "Job",
        job.getMetadata(),
        completions.pods() < parallelism.pods() ? completions : parallelism,
        spec.getTemplate());
  }

  /**
   * Number of simultaneous pods.
   *
   * @param field that defines it
   */
  private record Count(String field, int pods) {
    static Count of(String field, @Nullable Integer given) {
      int pods = requireNonNullElse(given, 1);
      if (pods < 0) {
        throw new InvalidManifestException(
            "%s: %d must be greater than or equal to 0".formatted(field, pods));
      }
      return new Count(field, pods);
    }
  }

  private void several(
      String kind,
      @Nullable V1ObjectMeta metadata,
      Count count,
      @Nullable V1PodTemplateSpec template) {
    V1PodTemplateSpec given = required(template, "spec.template");
    workload(
        kind,
        metadata,
        count,
        new Pattern("spec.template.spec", given.getMetadata(), given.getSpec()));
  }

  /**
   * The pods of a workload.
   *
   * @param path of their spec
   */
  private record Pattern(String path, @Nullable V1ObjectMeta metadata, @Nullable V1PodSpec given) {
    V1PodSpec spec() {
      return required(given, path);
    }
  }

  private void workload(String kind, @Nullable V1ObjectMeta metadata, Count count, Pattern pods) {
    V1PodSpec spec = pods.spec();
    String in = namespace(metadata);
    ImmutableMap<String, String> made = PodReader.templates(spec);
    long claimsMade = (long) count.pods() * made.size();
    manifestCount.add(
        "%s %s/%s: %s: %d pods with %d claims"
            .formatted(kind, in, name(metadata), count.field(), count.pods(), claimsMade),
        count.pods() + claimsMade);
    PodFacts pattern = podReader.pattern(in, pods.metadata(), spec);
    workloads.put(
        kind + " " + key(metadata),
        new Workload(
            kind,
            in,
            name(metadata),
            count.pods(),
            pattern,
            made,
            PodReader.placing(spec),
            PodReader.demand(pattern, spec)));
  }

  private void claim(V1alpha2ResourceClaim claim) {
    V1ObjectMeta metadata = named("ResourceClaim", claim.getMetadata());
    required(claim.getSpec(), "spec");
    ClaimFacts found = claimMapping.facts(claim.metadata(metadata).status(null));
    claims.put(found.ref(), found);
  }

  private void template(V1alpha2ResourceClaimTemplate template) {
    required(required(template.getSpec(), "spec").getSpec(), "spec.spec");
    V1ObjectMeta metadata = named("ResourceClaimTemplate", template.getMetadata());
    templates.put(key(metadata), ClaimTemplate.of(claimMapping, template.metadata(metadata)));
  }

  private V1ObjectMeta named(String kind, @Nullable V1ObjectMeta given) {
    String in = namespace(given);
    String name = name(given);
    return new V1ObjectMeta().namespace(in).name(name).uid(ManifestSet.uid(kind, in, name));
  }

  private String key(@Nullable V1ObjectMeta metadata) {
    return ObjectCache.key(namespace(metadata), name(metadata));
  }

  private String namespace(@Nullable V1ObjectMeta metadata) {
    return metadata == null || requireNonNullElse(metadata.getNamespace(), "").isEmpty()
        ? namespace
        : metadata.getNamespace();
  }

  private static String name(@Nullable V1ObjectMeta metadata) {
    String name = metadata == null ? "" : requireNonNullElse(metadata.getName(), "");
    if (name.isEmpty()) {
      throw new InvalidManifestException("metadata.name: Required value");
    }
    return name;
  }

  private static @Nullable V1ObjectMeta metadata(JsonObject object) {
    return LenientJson.gson().fromJson(object.get("metadata"), V1ObjectMeta.class);
  }

  private static <T> T read(JsonObject object, Class<T> type) {
    T found = LenientJson.gson().fromJson(object, type);
    name(metadata(object));
    return found;
  }

  private static <T> T required(@Nullable T value, String path) {
    if (value == null) {
      throw new InvalidManifestException(path + ": Required value");
    }
    return value;
  }
}
