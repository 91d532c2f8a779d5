package io.gpudra.controller.translate.convert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.Ints;
import io.gpudra.controller.translate.OpaqueConfigs;
import io.gpudra.controller.translate.SourceObjects.SourceObject;
import io.gpudra.controller.translate.TranslationRemark.Row;
import io.gpudra.controller.translate.TranslationSession;
import io.gpudra.controller.translate.V1Devices;
import io.gpudra.controller.translate.V1Devices.V1Config;
import io.gpudra.controller.translate.V1Devices.V1Constraint;
import io.gpudra.controller.translate.V1Devices.V1Exact;
import io.gpudra.controller.translate.V1Devices.V1Request;
import io.gpudra.controller.translate.cel.V1ConditionReader.Part;
import io.gpudra.controller.translate.cel.V1ConditionReader.Selection;
import io.gpudra.controller.translate.migrate.RequestField;
import io.gpudra.crds.api.parameters.DeviceRequest;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec.DeviceSelector;
import io.gpudra.crds.api.parameters.SharingSpec;
import io.gpudra.crds.api.parameters.TolerationSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** The fields of parameters that a claim of later versions becomes, for some of its requests. */
final class ClaimConversion {
  private static final int MAX_DEVICES_THERE = 32;
  private static final JsonMapper JSON = new JsonMapper();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  /** The fields of a request, in the order in which they are written. */
  private static final ImmutableMap<RequestField, BiConsumer<RequestReading, ObjectNode>> FIELDS =
      ImmutableMap.<RequestField, BiConsumer<RequestReading, ObjectNode>>builder()
          .put(RequestField.COUNT, RequestReading::count)
          .put(RequestField.ALL, RequestReading::all)
          .put(RequestField.MEMORY, (from, to) -> from.put(Part.MEMORY, to, "memory"))
          .put(RequestField.CAPABILITIES, RequestReading::capabilities)
          .put(RequestField.MIG_PROFILE, (from, to) -> from.put(Part.PROFILE, to, "migProfile"))
          .put(RequestField.CEL, RequestReading::cel)
          .put(RequestField.MODE, RequestReading::mode)
          .put(RequestField.MEMORY_LIMIT, RequestReading::memoryLimit)
          .put(RequestField.MILLICORES, RequestReading::millicores)
          .put(RequestField.SHARING, RequestReading::sharing)
          .buildOrThrow();

  /** The values of topology, by the attribute that is equal. */
  private static final ImmutableMap<String, String> TOPOLOGIES =
      ImmutableMap.of(
          "nvlinkGroup", GpuClaimParametersSpec.NVLINK, "pcieRoot", "pcie", "numaNode", "numa");

  /** Attributes that have another name here. */
  private static final ImmutableMap<String, String> ATTRIBUTES =
      ImmutableMap.of("profile", "migProfile", "memoryMiB", "memory", "numa", "numaNode");

  private static final String MEMORY = "memory";
  private static final String MILLICORES = "millicores";

  private final SourceObject claim;
  private final TranslationSession session;
  private final V1Devices devices;
  private final ImmutableList<V1Request> requests;
  private final String path;
  private Optional<String> refusal = Optional.empty();

  /** The requests of a claim that become one claim. */
  ClaimConversion(
      SourceObject claim,
      V1Devices devices,
      ImmutableList<V1Request> requests,
      TranslationSession session) {
    this.claim = claim;
    this.session = session;
    this.devices = devices;
    this.requests = requests;
    this.path = claim.claimSpec() + ".devices";
  }

  /** The class of the claim: that of its devices, or the monitoring one beside it. */
  String className() {
    V1Exact first = requests.get(0).choices().get(0);
    return first.deviceClassName() + (monitors() ? ClassConversion.MONITOR : "");
  }

  /** Whether devices in use are asked for. */
  boolean monitors() {
    return choices().anyMatch(V1Exact::adminAccess);
  }

  private Stream<V1Exact> choices() {
    return requests.stream().flatMap(request -> request.choices().stream());
  }

  private void remark(Row row, Object... values) {
    session.remark(claim, path, row, values);
  }

  /** The spec of the parameters; empty if there is nothing to say. */
  ObjectNode spec() {
    ObjectNode spec = NODES.objectNode();
    if (monitors()) {
      remarkMonitoring();
      return spec;
    }
    if (requests.size() > 1) {
      spec.set("requests", V1Devices.array(requests, this::named));
    } else {
      single(requests.get(0), spec);
    }
    devices.constraints().stream()
        .filter(constraint -> !isClose(constraint))
        .forEach(constraint -> constrain(constraint, spec));
    tolerate(spec);
    remarkMany();
    return spec;
  }

  private void remarkMonitoring() {
    remark(ConversionField.ADMIN_ACCESS, className());
    choices()
        .filter(exact -> !exact.all())
        .findFirst()
        .ifPresent(exact -> remark(ConversionField.ADMIN_ACCESS_COUNT, exact.count()));
  }

  private void remarkMany() {
    long count = choices().mapToLong(V1Exact::count).sum();
    if (count > MAX_DEVICES_THERE) {
      remark(ConversionField.TOO_MANY_DEVICES, count);
    }
  }

  private ObjectNode named(V1Request request) {
    if (request.prioritized()) {
      remark(ConversionField.FIRST_AVAILABLE, request.name());
    }
    ObjectNode fields = NODES.objectNode().put("name", request.name());
    return fields.setAll(fields(request, request.choices().get(0)));
  }

  private void single(V1Request request, ObjectNode spec) {
    Optional<V1Constraint> close = devices.constraints().stream().filter(this::isClose).findFirst();
    if (request.prioritized() && close.isEmpty()) {
      spec.set(
          "alternatives", V1Devices.array(request.choices(), choice -> fields(request, choice)));
    } else {
      spec.setAll(fields(request, request.choices().get(0)));
      close.ifPresent(
          constraint -> {
            topology(constraint).ifPresent(topology -> spec.put("topology", topology));
            spec.put("topologyPolicy", GpuClaimParametersSpec.PREFERRED);
          });
    }
  }

  /** A constraint for the first of two choices that are equal otherwise is a preference. */
  private boolean isClose(V1Constraint constraint) {
    V1Request request = requests.get(0);
    return requests.size() == 1
        && request.choices().size() == 2
        && constraint.requests().equals(List.of(reference(request, request.choices().get(0))))
        && topology(constraint).isPresent()
        && request.choices().stream().map(ClaimConversion::unnamed).distinct().count() == 1;
  }

  private static ObjectNode unnamed(V1Exact choice) {
    ObjectNode json = choice.json();
    json.remove("name");
    return json;
  }

  private static String reference(V1Request request, V1Exact choice) {
    return request.prioritized() ? request.name() + "/" + choice.name() : request.name();
  }

  private static Optional<String> topology(V1Constraint constraint) {
    return Optional.ofNullable(
        TOPOLOGIES.get(constraint.attribute().substring(constraint.attribute().indexOf('/') + 1)));
  }

  private ObjectNode fields(V1Request request, V1Exact choice) {
    Selection selection = session.conditionReader().read(choice.selectors());
    selection.problems().forEach(problem -> remark(ConversionField.CONDITION, problem));
    ObjectNode fields = NODES.objectNode();
    RequestReading reading = new RequestReading(choice, selection, sharing(request, choice));
    FIELDS.values().forEach(field -> field.accept(reading, fields));
    reading
        .foreignCapacity()
        .forEach(one -> remark(ConversionField.CONSUMED_CAPACITY, one.getValue(), one.getKey()));
    if (selection.value(Part.TYPE).equals(Optional.of(DeviceSelector.MIG))
        && !fields.has("migProfile")
        && !isOfMigOnly(choice)) {
      refuse(ConversionField.ANY_MIG_DEVICE);
    }
    return fields;
  }

  /** Claims of such a class get MIG devices by themselves. */
  private boolean isOfMigOnly(V1Exact choice) {
    return session
        .objects()
        .find(ClassConversion.GROUP_KIND, "", choice.deviceClassName(), claim.source())
        .map(found -> ClassConversion.selection(found, session))
        .flatMap(selection -> selection.value(Part.TYPE))
        .equals(Optional.of(DeviceSelector.MIG));
  }

  /** The claim is not translated. */
  void refuse(Row row, Object... values) {
    refusal = refusal.or(() -> Optional.of(row.text().reason(values)));
    remark(row, values);
  }

  /** Why the claim is not translated. */
  Optional<String> refusal() {
    return refusal;
  }

  private Optional<SharingSpec> sharing(V1Request request, V1Exact choice) {
    return devices.config().stream()
        .filter(config -> isFor(config.requests(), request, choice))
        .flatMap(config -> sharing(config, claim, path, session).stream())
        .reduce((first, last) -> last);
  }

  private static boolean isFor(List<String> names, V1Request request, V1Exact choice) {
    return isFor(names, request) || names.contains(reference(request, choice));
  }

  /** The settings of sharing in a config; the rest of it is remarked. */
  static Optional<SharingSpec> sharing(
      V1Config config, SourceObject object, String path, TranslationSession session) {
    OpaqueConfigs.Settings settings =
        new OpaqueConfigs(session.options().driver()).read(config.parameters());
    settings
        .unread()
        .forEach(
            unread ->
                session.remark(
                    object,
                    path,
                    ConversionField.OPAQUE_CONFIG,
                    unread.isEmpty() ? config.parameters().path("kind").asText() : unread));
    return settings.sharing();
  }

  private void constrain(V1Constraint constraint, ObjectNode spec) {
    if (requests.stream().noneMatch(request -> isFor(constraint.requests(), request))) {
      return;
    }
    if (constraint.distinct()) {
      distinguish(constraint);
    } else if (!isOfAll(constraint)) {
      remark(ConversionField.MATCH_ATTRIBUTE, constraint.attribute());
    } else {
      equalize(constraint.attribute(), spec);
    }
  }

  private static boolean isFor(List<String> names, V1Request request) {
    return names.isEmpty() || names.contains(request.name());
  }

  /** Whether it is about all requests of this claim, and none of another. */
  private boolean isOfAll(V1Constraint constraint) {
    return devices.requests().stream()
        .allMatch(request -> isFor(constraint.requests(), request) == requests.contains(request));
  }

  /** Shares of a claim are on different GPUs by themselves. */
  private void distinguish(V1Constraint constraint) {
    boolean ofShares = choices().allMatch(exact -> exact.capacity().containsKey("memory"));
    if (!ofShares || !constraint.attribute().endsWith("/parentUUID")) {
      remark(ConversionField.DISTINCT_ATTRIBUTE, constraint.attribute());
    }
  }

  private void equalize(String attribute, ObjectNode spec) {
    int domain = attribute.indexOf('/');
    String written = attribute.substring(domain + 1);
    String name = ATTRIBUTES.getOrDefault(written, written);
    if (domain > 0 && !session.conditionReader().isKnown(attribute.substring(0, domain))) {
      remark(ConversionField.MATCH_ATTRIBUTE, attribute);
    } else if (name.equals("nvlinkGroup")) {
      spec.put("topology", GpuClaimParametersSpec.NVLINK);
    } else if (GpuClaimParametersSpec.ATTRIBUTES.contains(name)) {
      spec.withArray("/sameAttribute").add(name);
    } else {
      remark(ConversionField.MATCH_ATTRIBUTE, attribute);
    }
  }

  private void tolerate(ObjectNode spec) {
    List<ImmutableList<TolerationSpec>> each =
        choices().map(V1Exact::tolerations).distinct().toList();
    if (each.size() > 1) {
      remark(ConversionField.TOLERATIONS_DIFFER);
    }
    each.stream()
        .flatMap(List::stream)
        .distinct()
        .forEach(one -> spec.withArray("/tolerations").add(JSON.<JsonNode>valueToTree(one)));
  }

  /** One request, and what is read in its selectors and settings. */
  private record RequestReading(V1Exact exact, Selection selection, Optional<SharingSpec> sharing) {

    void put(Part part, ObjectNode to, String name) {
      selection.value(part).ifPresent(value -> to.put(name, value));
    }

    void count(ObjectNode to) {
      if (!exact.all() && exact.count() != 1) {
        to.put("count", exact.count());
      }
    }

    void all(ObjectNode to) {
      if (exact.all()) {
        to.put("all", true);
      }
    }

    void capabilities(ObjectNode to) {
      selection
          .parts()
          .get(Part.CAPABILITY)
          .forEach(name -> to.withArray("/capabilities").add(name));
    }

    void cel(ObjectNode to) {
      if (!selection.cel().isEmpty()) {
        to.put("cel", selection.cel());
      }
    }

    /** A share without a memory of its own is none here, which the checks of parameters say. */
    void mode(ObjectNode to) {
      if (selection.value(Part.TYPE).equals(Optional.of("share"))
          && !exact.capacity().containsKey(MEMORY)) {
        to.put("mode", DeviceRequest.SHARED);
      }
    }

    void memoryLimit(ObjectNode to) {
      Optional.ofNullable(exact.capacity().get(MEMORY))
          .ifPresent(size -> to.put("memoryLimit", size));
    }

    void millicores(ObjectNode to) {
      Optional.ofNullable(exact.capacity().get(MILLICORES))
          .map(Ints::tryParse)
          .ifPresent(amount -> to.put(MILLICORES, amount));
    }

    void sharing(ObjectNode to) {
      sharing
          .map(OpaqueConfigs::fields)
          .or(() -> selection.value(Part.SHARING).flatMap(RequestReading::setting))
          .ifPresent(fields -> to.set("sharing", fields));
    }

    /** The settings that devices of a share have by themselves, such as TimeSlicing-Long. */
    private static Optional<JsonNode> setting(String published) {
      List<String> words = Splitter.on('-').splitToList(published);
      ObjectNode sharing = NODES.objectNode().put("strategy", words.get(0));
      if (words.size() > 1) {
        sharing.putObject("timeSlicingConfig").put("interval", words.get(1));
      }
      return published.equals("TimeSlicing-Default") ? Optional.empty() : Optional.of(sharing);
    }

    Stream<Map.Entry<String, String>> foreignCapacity() {
      return exact.capacity().entrySet().stream()
          .filter(entry -> !entry.getKey().equals(MEMORY) && !entry.getKey().equals(MILLICORES));
    }
  }
}
