package io.gpudra.controller.gpu;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.refusal.DisabledMigMode;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.gpu.cel.CompilationResult;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.controller.gpu.cel.DeviceExpression;
import io.gpudra.crds.api.parameters.DeviceRequest;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec.Entry;
import io.gpudra.crds.api.problem.NameSuggestion;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.model.node.DeviceAttribute;
import io.gpudra.crds.text.ListText;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the reasons why no present GPU could ever serve a claim (api.md 2.8, M5 to M9), even if all
 * were free. Reports only certain reasons. The spec has been checked.
 *
 * @param whole whether devices without a profile are GPUs: a class may hand out MIG devices only
 */
record SatisfiabilityCheck(
    ConditionCompiler conditionCompiler, ClusterCapacity cluster, boolean whole) {
  private static final int MAX_LISTED = 12;
  private static final int MAX_CHARACTERS = 200;

  /** A sentence each, with the field's path; about alternatives only when none can be served. */
  ImmutableList<String> problems(GpuClaimParametersSpec claim) {
    if (!cluster.isRepresentative()) {
      return ImmutableList.of();
    }
    List<ImmutableList<String>> each =
        claim.entries().stream().map(entry -> problems(claim, entry)).toList();
    boolean oneWillDo =
        claim.alternatives() != null && each.stream().anyMatch(ImmutableList::isEmpty);
    return oneWillDo
        ? ImmutableList.of()
        : each.stream().flatMap(List::stream).collect(toImmutableList());
  }

  private ImmutableList<String> problems(GpuClaimParametersSpec claim, Entry entry) {
    DeviceRequest request = entry.request();
    if (request.migProfile() != null) {
      return profile(request.migProfile()).stream()
          .map(text -> "%s.migProfile: %s".formatted(entry.path(), text))
          .collect(toImmutableList());
    }
    boolean otherSpelling = claim.memory() == null && claim.memoryPerGpu() != null;
    return whole
        ? Stream.of(
                named(otherSpelling ? "memoryPerGpu" : "memory", memory(request)),
                named("memoryLimit", limit(request)),
                named("count", count(request)),
                named("cel", condition(request)))
            .flatMap(Optional::stream)
            .map(text -> entry.path() + "." + text)
            .collect(toImmutableList())
        : ImmutableList.of();
  }

  private static Optional<String> named(String field, Optional<String> problem) {
    return problem.map(text -> field + ": " + text);
  }

  private Optional<String> profile(String wanted) {
    ImmutableList<String> offered = cluster.migProfiles();
    String instance = new DeviceKind.Mig(Optional.of(wanted)).gpuInstance().orElseThrow();
    if (offered.contains(instance)) {
      return Optional.empty();
    }
    String off =
        cluster.hasUnknownMigProfiles() ? "; MIG mode is off" + DisabledMigMode.MENDED_BY : "";
    if (offered.isEmpty()) {
      return Optional.of("no GPU of the cluster can be cut into MIG devices" + off);
    }
    String hint =
        NameSuggestion.nearest(instance, offered)
            .map("; did you mean \"%s\"?"::formatted)
            .orElse("");
    return Optional.of(
        "no GPU of the cluster offers \"%s\"; offered: %s%s%s"
            .formatted(instance, ListText.of(offered, MAX_LISTED), hint, off));
  }

  private Optional<String> memory(DeviceRequest request) {
    long largest = cluster.largestNominalBytes();
    return request.nominalMemoryBytes().orElse(0) > largest
        ? Optional.of(
            "largest GPU has %s, %s wanted".formatted(MemorySize.text(largest), request.memory()))
        : Optional.empty();
  }

  private Optional<String> limit(DeviceRequest request) {
    long largest = cluster.largestBytes();
    return request.memoryLimitBytes().orElse(0) > largest
        ? Optional.of(
            "%s is more than the largest GPU has (%s)"
                .formatted(request.memoryLimit(), MemorySize.text(largest)))
        : Optional.empty();
  }

  private Optional<String> count(DeviceRequest request) {
    int most = cluster.mostOnANode();
    return !request.wantsAll() && request.countOrDefault() > most
        ? Optional.of(
            "largest node has %s, %d wanted"
                .formatted(most == 1 ? "1 GPU" : most + " GPUs", request.countOrDefault()))
        : Optional.empty();
  }

  private Optional<String> condition(DeviceRequest request) {
    if (request.cel() == null
        || !(conditionCompiler.compile(request.cel())
            instanceof CompilationResult.Compiled compiled)) {
      return Optional.empty();
    }
    DeviceExpression expression = compiled.expression();
    boolean never =
        ClusterCapacity.isDecidedByKind(expression)
            && cluster.samples().stream()
                .noneMatch(one -> conditionCompiler.matches(expression, one));
    return never ? Optional.of(never(expression)) : Optional.empty();
  }

  private String never(DeviceExpression expression) {
    boolean ofProducts =
        expression.reads(DeviceAttribute.PRODUCT_NAME) || expression.reads(DeviceAttribute.MODEL);
    return Ascii.truncate(expression.text(), MAX_CHARACTERS, "…")
        + " is true for no GPU"
        + (ofProducts
            ? "; product names of the cluster: " + ListText.of(cluster.products(), MAX_LISTED)
            : "");
  }
}
