package io.gpudra.controller.translate.migrate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.gpu.cel.V1Name;
import io.gpudra.controller.translate.OpaqueConfigs;
import io.gpudra.controller.translate.SourceObjects.SourceObject;
import io.gpudra.controller.translate.TargetVersion;
import io.gpudra.controller.translate.TranslationRemark.Row;
import io.gpudra.controller.translate.TranslationSession;
import io.gpudra.controller.translate.cel.V1ConditionWriter;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.SharingSpec;
import io.gpudra.crds.model.MemorySize;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What the rows of one claim read beside their own field, and what they remark. */
final class ClaimContext {
  private static final String NVIDIA_CONFIG = "resource.nvidia.com/v1beta1";

  private final TranslationSession session;
  private final SourceObject claim;
  private final SourceObject source;
  private final GpuClassParametersSpec ofClass;
  private final List<Note> notes = new ArrayList<>();
  private final Set<String> gates = new TreeSet<>();
  private final List<ImmutableSet<String>> nodes = new ArrayList<>();
  private Optional<Note> refusal = Optional.empty();
  private String path = "spec";

  /** A remark that is made if the claim is translated. */
  private record Note(
      SourceObject object, String path, Row row, boolean once, ImmutableList<Object> values) {

    void remark(TranslationSession session) {
      if (once) {
        session.remarkOnce(object, path, row, values.toArray());
      } else {
        session.remark(object, path, row, values.toArray());
      }
    }
  }

  /**
   * The context of a claim.
   *
   * @param source the object with the fields: the parameters, or the claim itself
   */
  ClaimContext(
      TranslationSession session,
      SourceObject claim,
      SourceObject source,
      GpuClassParametersSpec ofClass) {
    this.session = session;
    this.claim = claim;
    this.source = source;
    this.ofClass = ofClass;
  }

  /** The next fields are those of the entry at this path. */
  void enter(String entry) {
    path = entry;
  }

  TargetVersion to() {
    return session.options().to();
  }

  /** The driver whose devices are asked for. */
  String driver() {
    return session.options().toDriver();
  }

  boolean isForNvidia() {
    return driver().equals(V1Name.NVIDIA);
  }

  boolean isTemplate() {
    return claim.kind().equals("ResourceClaimTemplate");
  }

  String className() {
    return claim.claim().value().path("resourceClassName").asText();
  }

  GpuClassParametersSpec ofClass() {
    return ofClass;
  }

  Optional<SharingSpec> sharingOfClass() {
    return Optional.ofNullable(ofClass.sharing());
  }

  String topology(GpuClaimParametersSpec from) {
    return Strings.nullToEmpty(from.topology() == null ? ofClass.topology() : from.topology());
  }

  boolean prefersTopology(GpuClaimParametersSpec from) {
    String policy = from.topology() == null ? ofClass.topologyPolicy() : from.topologyPolicy();
    return !topology(from).isEmpty() && GpuClaimParametersSpec.PREFERRED.equals(policy);
  }

  /** An attribute of the driver in a condition. */
  String attribute(String name) {
    return "device.attributes[\"%s\"].%s".formatted(driver(), name);
  }

  String isEqual(String name, String value) {
    return "%s == \"%s\"".formatted(attribute(name), value);
  }

  /** The condition of this nominal memory. */
  String isAtLeast(long bytes) {
    String size =
        isForNvidia() ? V1ConditionWriter.leastReported(bytes) : MemorySize.exactText(bytes);
    return "device.capacity[\"%s\"].%s.compareTo(quantity(\"%s\")) >= 0"
        .formatted(driver(), isForNvidia() ? "memory" : "nominalMemory", size);
  }

  /** The parameters that the driver reads. */
  ObjectNode config(SharingSpec sharing) {
    if (sharing.strategyOrDefault().equals(SharingSpec.SPACE_PARTITIONING)) {
      refuseForNvidia("sharing", SharingSpec.SPACE_PARTITIONING);
    }
    ObjectNode config = new OpaqueConfigs(driver()).write(sharing);
    return isForNvidia() ? config.put("apiVersion", NVIDIA_CONFIG) : config;
  }

  /** The condition of v1; empty if nothing is left of it, or if there is none. */
  Optional<String> condition(String cel, V1ConditionWriter.Devices devices) {
    V1ConditionWriter.Answer answer = session.conditions().write(cel, devices);
    if (answer instanceof V1ConditionWriter.Written written) {
      remarkIf(written.mayFail(), "cel", RequestField.CEL_MAY_FAIL);
      restrict(written.nodes());
      return Optional.of(written.text()).filter(text -> !text.isEmpty());
    }
    refuse("cel", RequestField.CEL, ((V1ConditionWriter.Refused) answer).why());
    return Optional.empty();
  }

  private void restrict(ImmutableSet<String> names) {
    if (names.isEmpty()) {
      return;
    }
    if (path.startsWith("spec.alternatives")) {
      refuse("cel", RequestField.CEL, "a pod has the same nodes for every alternative");
    }
    nodes.add(names);
    remark("cel", RequestField.NODE_CONDITION, String.join(", ", names));
  }

  /** An attribute of the driver in a constraint. */
  String qualified(String name) {
    return driver() + "/" + name;
  }

  /** The attribute of {@code sameAttribute} in a constraint. */
  String sameAttribute(String name) {
    return switch (name.substring(name.indexOf('/') + 1)) {
      case "pcieRoot" -> V1Name.STANDARD + "/pcieRoot";
      case "numaNode" -> V1Name.STANDARD + "/numaNode";
      case "migProfile" -> qualified("profile");
      case "memory" -> {
        refuseForNvidia("sameAttribute", name);
        yield qualified("memoryMiB");
      }
      default -> qualified(name);
    };
  }

  void remark(String field, Row row, Object... values) {
    notes.add(new Note(source, path + "." + field, row, false, ImmutableList.copyOf(values)));
  }

  void remarkIf(boolean holds, String field, Row row) {
    if (holds) {
      remark(field, row);
    }
  }

  /** Remarks a row once a run. */
  void remarkOnce(String field, Row row) {
    remarkOnce(source, path + "." + field, row);
  }

  /** Remarks a row of another object. */
  void remark(SourceObject object, String field, Row row) {
    notes.add(new Note(object, field, row, false, ImmutableList.of()));
  }

  /** Remarks a row with these values once a run. */
  void remarkOnce(SourceObject object, String field, Row row, Object... values) {
    notes.add(new Note(object, field, row, true, ImmutableList.copyOf(values)));
  }

  /** The claim is not translated. */
  void refuse(String field, Row row, Object... values) {
    refuse(source, path + "." + field, row, values);
  }

  /** The claim is not translated, since there is something about that object. */
  void refuse(SourceObject object, String field, Row row, Object... values) {
    Note note = new Note(object, field, row, false, ImmutableList.copyOf(values));
    refusal = refusal.or(() -> Optional.of(note));
  }

  void refuseForNvidia(String field, String what) {
    if (isForNvidia()) {
      refuse(field, RequestField.OTHER_DRIVER, what);
    }
  }

  boolean isRefused() {
    return refusal.isPresent();
  }

  void gateUnless(boolean on, String gate) {
    if (!on) {
      gates.add(gate);
    }
  }

  /** The sets of nodes of which each has the claim's. */
  ImmutableList<ImmutableSet<String>> nodes() {
    return ImmutableList.copyOf(nodes);
  }

  /** Makes the remarks: that of the refusal, else all. */
  void tell() {
    if (refusal.isPresent()) {
      refusal.get().remark(session);
    } else {
      notes.forEach(note -> note.remark(session));
      gates.forEach(session::gate);
    }
  }

  /** The reason of the refusal. */
  String reason() {
    Note note = refusal.orElseThrow();
    return note.row().text().reason(note.values().toArray());
  }
}
