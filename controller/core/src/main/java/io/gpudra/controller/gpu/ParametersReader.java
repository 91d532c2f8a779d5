package io.gpudra.controller.gpu;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.gpudra.controller.allocation.request.Alternative;
import io.gpudra.controller.allocation.request.Wish;
import io.gpudra.controller.dra.Parameters;
import io.gpudra.controller.gpu.ParametersReader.Reading.Fault;
import io.gpudra.controller.gpu.cel.Attribute;
import io.gpudra.controller.gpu.cel.Compilation;
import io.gpudra.controller.gpu.cel.ConditionAlerts;
import io.gpudra.controller.gpu.cel.Expressions;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec.DeviceSelector;
import io.gpudra.crds.api.problem.Problems;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reads parameters that nobody need have named: those of a claim as if its class said nothing,
 * those of a class as if its claim did. By the rules and with the language by which is granted, in
 * a memory of its own.
 */
public final class ParametersReader {

  /** What the condition of a claim may be about that means its class to be one of MIG devices. */
  private static final ImmutableSet<Attribute> OF_MIG =
      Sets.immutableEnumSet(Attribute.MIG_PROFILE, Attribute.PARENT_UUID, Attribute.TYPE);

  private static final GpuClassParametersSpec MIG_CLASS =
      GpuClassParametersSpec.of(
          List.of(new DeviceSelector(DeviceSelector.MIG, "*")), null, null, null);

  private final Expressions expressions;
  private final Requests requests;

  /** For the driver of this name. */
  public ParametersReader(String driver, ConditionAlerts alerts) {
    this.expressions = new Expressions(driver, alerts, MemoryBudget.ASIDE);
    this.requests = new Requests(driver, NoParameters.AT_ALL, expressions, MemoryBudget.ASIDE);
  }

  /** Of a claim. */
  public Reading ofClaim(GpuClaimParametersSpec claim) {
    Optional<Reading> faulty = faulty(claim.checked(), requests.conditionProblems(claim));
    if (faulty.isPresent()) {
      return faulty.get();
    }
    Reading whole = read(GpuClassParametersSpec.NOTHING_SAID, claim);
    return whole.fault().isEmpty() && isAboutMig(claim)
        ? either(whole, read(MIG_CLASS, claim))
        : whole;
  }

  /** Of a class: what a claim gets of it that asks for nothing in particular. */
  public Reading ofClass(GpuClassParametersSpec ofClass) {
    GpuClaimParametersSpec condition =
        GpuClaimParametersSpec.of(null, null, ofClass.cel(), null, null);
    return faulty(ofClass.checked(), requests.conditionProblems(condition))
        .orElseGet(() -> read(devices(ofClass), GpuClaimParametersSpec.NOTHING_SAID));
  }

  /** What of a class decides which devices it has. */
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

  /** Which conditions of a claim read what is forbidden to them, each a sentence. */
  public ImmutableList<String> forbidden(
      GpuClaimParametersSpec claim, ImmutableSet<String> attributes, String by) {
    return requests.forbidden(claim, attributes, by);
  }

  /** What no GPU there is could ever do for a claim (api.md 2.8, M5 to M9). */
  public ImmutableList<String> unsatisfiable(GpuClaimParametersSpec claim, Offered cluster) {
    return new Satisfiability(expressions, cluster, /* whole= */ true).problems(claim);
  }

  /** The condition of a wish without each of its parts in turn. */
  public ImmutableList<Relaxed> relaxed(Wish wish) {
    return wish.condition() instanceof GpuCondition condition
        ? condition.relaxed()
        : ImmutableList.of();
  }

  private static Optional<Reading> faulty(Problems fields, ImmutableList<String> ofConditions) {
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
    Parameters<GpuRequest> read = requests.read(ofClass, claim);
    if (read instanceof Parameters.Ready<GpuRequest> ready) {
      ImmutableList<Alternative> wanted = ready.value().alternatives();
      return new Reading(
          ImmutableList.of(), Optional.empty(), ImmutableList.of(wanted), tellsNodesApart(wanted));
    }
    return read instanceof Parameters.Invalid<GpuRequest> invalid
        ? Reading.faulty(Fault.CONFLICT, invalid.problems())
        : new Reading(ImmutableList.of(), Optional.empty(), ImmutableList.of(), false);
  }

  private static boolean tellsNodesApart(ImmutableList<Alternative> wanted) {
    return wanted.stream()
        .flatMap(way -> way.wishes().stream())
        .anyMatch(wish -> wish.condition().tellsNodesApart());
  }

  private static Reading either(Reading first, Reading second) {
    return new Reading(
        first.problems(),
        first.fault(),
        ImmutableList.<ImmutableList<Alternative>>builder()
            .addAll(first.wanted())
            .addAll(second.wanted())
            .build(),
        first.tellsNodesApart());
  }

  private boolean isAboutMig(GpuClaimParametersSpec claim) {
    return claim.entries().stream()
        .flatMap(entry -> Stream.ofNullable(entry.request().cel()))
        .map(expressions::compile)
        .anyMatch(
            compilation ->
                compilation instanceof Compilation.Compiled compiled
                    && OF_MIG.stream().anyMatch(compiled.expression()::reads));
  }

  /**
   * What parameters say by themselves.
   *
   * @param problems all that is wrong, each a sentence with the field's path
   * @param fault of what kind that is; absent when nothing is wrong
   * @param wanted what is asked for, nothing when something is wrong; what any node could serve of
   *     it counts, else what may be served, else the first
   * @param tellsNodesApart whether nodes with the same hardware may be judged differently
   */
  public record Reading(
      ImmutableList<String> problems,
      Optional<Fault> fault,
      ImmutableList<ImmutableList<Alternative>> wanted,
      boolean tellsNodesApart) {

    /** What is wrong. */
    public enum Fault {
      /** A value, whatever the others are. */
      FIELD,
      /** A condition. */
      EXPRESSION,
      /** Values that exclude each other. */
      CONFLICT
    }

    static Reading faulty(Fault fault, ImmutableList<String> problems) {
      return new Reading(problems, Optional.of(fault), ImmutableList.of(), false);
    }
  }
}
