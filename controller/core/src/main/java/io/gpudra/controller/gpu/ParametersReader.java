package io.gpudra.controller.gpu;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.gpu.ParametersReader.Reading.Fault;
import io.gpudra.controller.gpu.cel.CompilationResult;
import io.gpudra.controller.gpu.cel.ConditionAlerts;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.controller.reason.UnsuitableReason;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec.DeviceSelector;
import io.gpudra.crds.api.problem.ProblemList;
import io.gpudra.crds.model.NamespaceAudience;
import io.gpudra.crds.model.node.DeviceAttribute;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reads parameters without a claim that names them: those of a claim with an empty class, those of
 * a class with an empty claim. It uses the rules and the language of allocation, with caches of its
 * own.
 */
public final class ParametersReader {

  /** The attributes that only conditions for a class of MIG devices read. */
  private static final ImmutableSet<DeviceAttribute> OF_MIG =
      Sets.immutableEnumSet(
          DeviceAttribute.MIG_PROFILE, DeviceAttribute.PARENT_UUID, DeviceAttribute.TYPE);

  private static final GpuClassParametersSpec MIG_CLASS =
      GpuClassParametersSpec.of(
          List.of(new DeviceSelector(DeviceSelector.MIG, "*")), null, null, null);

  private final ConditionCompiler conditionCompiler;
  private final ParametersResolver parametersResolver;

  /** A reader for the driver of this name. */
  public ParametersReader(String driver, ConditionAlerts alerts) {
    this.conditionCompiler = new ConditionCompiler(driver, alerts, MemoryBudget.SECONDARY);
    this.parametersResolver =
        new ParametersResolver(
            driver, NoParameters.AT_ALL, conditionCompiler, MemoryBudget.SECONDARY);
  }

  /** Reads the parameters of a claim. */
  public Reading ofClaim(GpuClaimParametersSpec claim) {
    Optional<Reading> faulty = faulty(claim.checked(), parametersResolver.conditionProblems(claim));
    if (faulty.isPresent()) {
      return faulty.get();
    }
    Reading whole = read(GpuClassParametersSpec.EMPTY, claim);
    return whole.fault().isEmpty() && isAboutMig(claim)
        ? either(whole, read(MIG_CLASS, claim))
        : whole;
  }

  /** Reads the parameters of a class, for a claim without parameters. */
  public Reading ofClass(GpuClassParametersSpec ofClass) {
    GpuClaimParametersSpec condition =
        GpuClaimParametersSpec.of(null, null, ofClass.cel(), null, null);
    return faulty(ofClass.checked(), parametersResolver.conditionProblems(condition))
        .orElseGet(() -> read(devices(ofClass), GpuClaimParametersSpec.EMPTY));
  }

  /** The fields of a class that decide on its devices. */
  private static GpuClassParametersSpec devices(GpuClassParametersSpec ofClass) {
    return new GpuClassParametersSpec(
        ofClass.deviceSelector(),
        ofClass.cel(),
        null,
        null,
        null,
        null,
        ofClass.monitor(),
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  /** The conditions of a claim that read forbidden attributes, a sentence each. */
  public ImmutableList<String> forbidden(
      GpuClaimParametersSpec claim, ImmutableSet<String> attributes, String by) {
    return parametersResolver.forbidden(claim, attributes, by);
  }

  /** The sub-requests of a claim that no present GPU could ever serve (api.md 2.8, M5 to M9). */
  public ImmutableList<String> unsatisfiable(
      GpuClaimParametersSpec claim, ClusterCapacity cluster) {
    return new SatisfiabilityCheck(conditionCompiler, cluster, /* whole= */ true).problems(claim);
  }

  /** The condition of a sub-request without each of its parts in turn. */
  public ImmutableList<RelaxedCondition> relaxed(DeviceSubRequest subRequest) {
    return subRequest.devicePredicate() instanceof GpuCondition condition
        ? condition.relaxed()
        : ImmutableList.of();
  }

  private static Optional<Reading> faulty(ProblemList fields, ImmutableList<String> ofConditions) {
    if (fields.found().isEmpty()) {
      return ofConditions.isEmpty()
          ? Optional.empty()
          : Optional.of(Reading.faulty(Fault.EXPRESSION, ofConditions));
    }
    return Optional.of(
        Reading.faulty(
            fields.areConflicts() ? Fault.CONFLICT : Fault.FIELD,
            Stream.of(fields.found(), ofConditions)
                .flatMap(List::stream)
                .distinct()
                .collect(toImmutableList())));
  }

  private Reading read(GpuClassParametersSpec ofClass, GpuClaimParametersSpec claim) {
    DriverParameters<GpuRequest> read = parametersResolver.read(ofClass, claim);
    if (read instanceof DriverParameters.Ready<GpuRequest> ready) {
      ImmutableList<RequestAlternative> wanted = ready.value().alternatives();
      return new Reading(
          ImmutableList.of(),
          Optional.empty(),
          ImmutableList.of(wanted),
          differsBetweenNodes(wanted));
    }
    UnsuitableReason no = ((DriverParameters.Refused<GpuRequest>) read).reason();
    return no.kind() == UnsuitableReason.Kind.INVALID_PARAMETERS
        ? Reading.faulty(Fault.CONFLICT, no.sentences(NamespaceAudience.READER_OF_ALL))
        : new Reading(ImmutableList.of(), Optional.empty(), ImmutableList.of(), false);
  }

  private static boolean differsBetweenNodes(ImmutableList<RequestAlternative> wanted) {
    return wanted.stream()
        .flatMap(way -> way.subRequests().stream())
        .anyMatch(subRequest -> subRequest.devicePredicate().differsBetweenNodes());
  }

  private static Reading either(Reading first, Reading second) {
    return new Reading(
        first.problems(),
        first.fault(),
        ImmutableList.<ImmutableList<RequestAlternative>>builder()
            .addAll(first.wanted())
            .addAll(second.wanted())
            .build(),
        first.differsBetweenNodes());
  }

  private boolean isAboutMig(GpuClaimParametersSpec claim) {
    return claim.entries().stream()
        .flatMap(entry -> Stream.ofNullable(entry.request().cel()))
        .map(conditionCompiler::compile)
        .anyMatch(
            compilation ->
                compilation instanceof CompilationResult.Compiled compiled
                    && OF_MIG.stream().anyMatch(compiled.expression()::reads));
  }

  /**
   * The result of reading parameters by themselves.
   *
   * @param problems all problems, each a sentence with the field's path
   * @param fault the kind of the problems; absent when there are none
   * @param wanted the interpretations of the request, none if it is faulty; the first one that a
   *     node could serve counts, else the first one that might be served, else the first one
   * @param differsBetweenNodes whether nodes with the same hardware may be evaluated differently
   */
  public record Reading(
      ImmutableList<String> problems,
      Optional<Fault> fault,
      ImmutableList<ImmutableList<RequestAlternative>> wanted,
      boolean differsBetweenNodes) {

    /** The kinds of problems. */
    public enum Fault {
      /** An invalid value of one field. */
      FIELD,
      /** An invalid condition. */
      EXPRESSION,
      /** Values that exclude each other. */
      CONFLICT
    }

    static Reading faulty(Fault fault, ImmutableList<String> problems) {
      return new Reading(problems, Optional.of(fault), ImmutableList.of(), false);
    }
  }
}
