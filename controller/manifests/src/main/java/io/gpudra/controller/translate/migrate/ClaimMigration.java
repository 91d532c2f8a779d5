package io.gpudra.controller.translate.migrate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.lint.object.LintKind;
import io.gpudra.controller.lint.object.ParametersRefReader;
import io.gpudra.controller.lint.yaml.TextEdits;
import io.gpudra.controller.translate.SourceObjects;
import io.gpudra.controller.translate.SourceObjects.SourceObject;
import io.gpudra.controller.translate.TargetVersion;
import io.gpudra.controller.translate.TranslationSession;
import io.gpudra.controller.translate.V1Devices;
import io.gpudra.controller.translate.migrate.ClaimTranslation.ClaimDraft;
import io.gpudra.controller.translate.migrate.ClaimTranslation.DeviceShape;
import io.gpudra.controller.translate.migrate.ClaimTranslation.ExactDraft;
import io.gpudra.crds.api.parameters.DeviceRequest;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec.Entry;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.TolerationSpec;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Migrates claims and templates with the parameters that they name. */
final class ClaimMigration {
  private static final int MAX_DEVICES = 32;

  private ClaimMigration() {}

  /**
   * What becomes of a claim.
   *
   * @param context absent for claims of other drivers
   * @param devices absent if the claim is not translated
   */
  record Outcome(Optional<ClaimContext> context, Optional<V1Devices> devices) {
    private static final Outcome FOREIGN = new Outcome(Optional.empty(), Optional.empty());

    /** The context of a claim that is translated. */
    Optional<ClaimContext> translated() {
      return context.filter(unused -> devices.isPresent());
    }
  }

  /** Migrates a claim or a template. */
  static void migrate(SourceObject claim, TranslationSession session) {
    Outcome outcome = outcome(claim, session);
    outcome.context().ifPresent(ClaimContext::tell);
    outcome
        .devices()
        .ifPresentOrElse(
            devices -> write(claim, devices, session.edits(claim)),
            () -> outcome.context().ifPresent(context -> session.comment(claim, context.reason())));
  }

  private static void write(SourceObject claim, V1Devices devices, TextEdits edits) {
    edits.replaceValue(claim.field("apiVersion"), JsonNodeFactory.instance.textNode(V1Devices.API));
    JsonNode spec = JsonNodeFactory.instance.objectNode().set("devices", devices.json());
    edits.replaceValue(claim.claim(), spec);
    if (claim.root().field("status").isPresent()) {
      edits.replaceField(claim.root(), "status", JsonNodeFactory.instance.objectNode());
    }
  }

  /** Puts a comment in the place of parameters, which the claims or classes have now. */
  static void migrateParameters(SourceObject parameters, TranslationSession session) {
    List<SourceObject> users = session.users(parameters);
    if (users.isEmpty()) {
      session.refuse(parameters, "", ClaimField.PARAMETERS_UNUSED);
    } else if (users.stream().noneMatch(user -> isTranslated(user, session))) {
      session.comment(parameters, "nor is the object that names them");
    } else {
      String names =
          users.stream()
              .map(user -> "%s \"%s\"".formatted(user.kind(), user.name()))
              .collect(Collectors.joining(", "));
      session.omit(parameters, "its fields are in %s.".formatted(names));
    }
  }

  private static boolean isTranslated(SourceObject user, TranslationSession session) {
    return user.kind().equals(SourceObjects.RESOURCE_CLASS)
        ? !ClassTranslation.context(user, session).isRefused()
        : outcome(user, session).devices().isPresent();
  }

  /** What becomes of a claim; it is decided once. */
  static Outcome outcome(SourceObject claim, TranslationSession session) {
    return session.once(Outcome.class, claim, () -> decided(claim, session));
  }

  private static Outcome decided(SourceObject claim, TranslationSession session) {
    Optional<SourceObject> ofClass = ofClass(claim, session);
    if (!isOurs(claim, ofClass, session)) {
      return Outcome.FOREIGN;
    }
    Optional<SourceObject> named = session.objects().parameters(claim);
    GpuClassParametersSpec classSpec =
        ofClass
            .map(found -> ClassTranslation.context(found, session).ofClass())
            .orElse(GpuClassParametersSpec.EMPTY);
    ClaimContext context = new ClaimContext(session, claim, named.orElse(claim), classSpec);
    GpuClaimParametersSpec spec = checked(claim, named, context, session);
    V1Devices devices = context.isRefused() ? V1Devices.NONE : devices(spec, context);
    remarkClaim(claim, ofClass.isPresent(), context, session);
    return new Outcome(
        Optional.of(context), Optional.of(devices).filter(unused -> !context.isRefused()));
  }

  /** The class of a claim, if it is among the objects. */
  static Optional<SourceObject> ofClass(SourceObject claim, TranslationSession session) {
    String name = claim.claim().value().path("resourceClassName").asText();
    return session.objects().find(ClassTranslation.GROUP_KIND, "", name, claim.source());
  }

  /** A claim without its class and without parameters is taken for one of this driver. */
  private static boolean isOurs(
      SourceObject claim, Optional<SourceObject> ofClass, TranslationSession session) {
    JsonNode reference = claim.reference();
    return ofClass
        .map(found -> ClassTranslation.isOurs(found, session))
        .orElseGet(() -> !reference.isObject() || ParametersRefReader.isOurs(reference));
  }

  private static GpuClaimParametersSpec checked(
      SourceObject claim,
      Optional<SourceObject> named,
      ClaimContext context,
      TranslationSession session) {
    LintKind kind = context.isTemplate() ? LintKind.TEMPLATE : LintKind.CLAIM;
    refuseInvalid(session.problems(kind, claim), claim, context);
    named.ifPresent(
        found -> refuseInvalid(session.problems(LintKind.CLAIM_PARAMETERS, found), found, context));
    JsonNode reference = claim.reference();
    if (reference.isObject() && named.isEmpty()) {
      context.refuse(
          claim,
          claim.claimSpec() + ".parametersRef",
          ClaimField.PARAMETERS_MISSING,
          reference.path("kind").asText(),
          reference.path("name").asText());
    }
    if (context.isRefused()) {
      return GpuClaimParametersSpec.EMPTY;
    }
    GpuClaimParametersSpec spec =
        named
            .flatMap(found -> found.spec(GpuClaimParametersSpec.class))
            .orElse(GpuClaimParametersSpec.EMPTY);
    refuseInvalid(context.ofClass().problemsOf(spec, context.className()), claim, context);
    return spec;
  }

  private static void refuseInvalid(
      ImmutableList<String> problems, SourceObject object, ClaimContext context) {
    if (!problems.isEmpty()) {
      context.refuse(object, "", ClaimField.PARAMETERS_INVALID, String.join("; ", problems));
    }
  }

  private static V1Devices devices(GpuClaimParametersSpec spec, ClaimContext context) {
    ClaimDraft draft = new ClaimDraft();
    if (context.ofClass().monitors()) {
      draft.exacts.add(monitor(context));
    } else {
      List<Entry> entries = spec.entries();
      for (int i = 0; i < entries.size(); i++) {
        context.enter(entries.get(i).path());
        draft.exacts.add(exact(entries.get(i).request(), name(spec, i), context));
      }
      context.enter("spec");
      Stream.of(ClaimField.values()).forEach(field -> field.write(spec, draft, context));
      refuseMany(draft, context);
    }
    return draft.devices(context);
  }

  private static String name(GpuClaimParametersSpec spec, int index) {
    if (spec.alternatives() != null) {
      return "a" + index;
    }
    String name = spec.entries().get(index).request().name();
    return name == null ? ClaimTranslation.REQUEST : name;
  }

  private static ExactDraft exact(DeviceRequest request, String name, ClaimContext context) {
    ExactDraft exact = new ExactDraft(name, DeviceShape.of(request, context.ofClass()));
    Stream.of(RequestField.values()).forEach(field -> field.write(request, exact, context));
    return exact;
  }

  /** Monitoring sees tainted GPUs, too. */
  private static ExactDraft monitor(ClaimContext context) {
    ExactDraft exact = new ExactDraft(ClaimTranslation.REQUEST, DeviceShape.WHOLE);
    RequestField.MODE.write(DeviceRequest.EMPTY, exact, context);
    exact.all = true;
    exact.adminAccess = true;
    exact.tolerations =
        ImmutableList.of(new TolerationSpec(null, TolerationSpec.EXISTS, null, null, null));
    context.gateUnless(context.to().dividesDevices(), TargetVersion.TAINTS);
    return exact;
  }

  private static void refuseMany(ClaimDraft draft, ClaimContext context) {
    long devices =
        draft.prioritized
            ? draft.exacts.stream().mapToLong(exact -> exact.count).max().orElse(0)
            : draft.exacts.stream().mapToLong(exact -> exact.count).sum();
    if (devices > MAX_DEVICES) {
      context.refuse("count", RequestField.DEVICE_LIMIT, devices);
    }
  }

  private static void remarkClaim(
      SourceObject claim, boolean classIsKnown, ClaimContext context, TranslationSession session) {
    String spec = claim.claimSpec();
    if (claim.claim().value().path("allocationMode").asText().equals("Immediate")) {
      context.remark(claim, spec + ".allocationMode", ClaimField.IMMEDIATE);
    }
    if (claim.reference().isObject()) {
      context.remarkOnce(claim, spec + ".parametersRef", ClaimField.PARAMETERS_REF);
    }
    if (!classIsKnown) {
      context.remarkOnce(
          claim, spec + ".resourceClassName", ClassField.CLASS_UNKNOWN, context.className());
    }
    if (context.ofClass().monitors()) {
      ClassTranslation.remarkNamespace(claim, context, session);
    }
  }
}
