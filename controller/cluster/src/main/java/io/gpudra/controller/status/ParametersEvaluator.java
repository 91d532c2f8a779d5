package io.gpudra.controller.status;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.gpu.ParametersReader;
import io.gpudra.controller.gpu.ParametersReader.Reading;
import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.ParametersStatus;
import io.gpudra.crds.api.parameters.RequestSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Computes the status of a spec (api.md 2.8 and 7.1), without generation and times. Depends only on
 * the spec, the nodes and the forbidden attributes.
 *
 * @param forbidden attributes that a class forbids: the class of a future claim is unknown, so the
 *     matches of a condition that reads them are not reported
 */
record ParametersEvaluator(
    ParametersReader reader, GpuNodes gpuNodes, ImmutableSet<String> forbidden) {

  private static final String TRUE = "True";
  private static final String FALSE = "False";
  private static final String UNKNOWN = "Unknown";
  private static final Condition ACCEPTED =
      condition(ParametersStatus.VALID, TRUE, "Accepted", null);

  ParametersStatus evaluate(GpuClaimParametersSpec claim) {
    Reading reading = reader.ofClaim(claim);
    if (reading.fault().isPresent()) {
      return refused(reading);
    }
    ImmutableList<String> reads = reader.forbidden(claim, forbidden, "a class of the cluster");
    return reads.isEmpty()
        ? accepted(
            reading, summary(claim), () -> reader.unsatisfiable(claim, gpuNodes.clusterCapacity()))
        : notCounted(summary(claim), reads);
  }

  private static String summary(GpuClaimParametersSpec claim) {
    return StatusTexts.line(RequestSummary.of(claim), ParametersStatus.MAX_SUMMARY);
  }

  private static ParametersStatus notCounted(String summary, ImmutableList<String> reads) {
    List<String> lines = new ArrayList<>(reads);
    lines.add("the matching devices are not reported");
    String message = StatusTexts.lines(lines, ParametersStatus.MAX_MESSAGE);
    Condition unknown = satisfiable(UNKNOWN, "AttributeForbidden", message);
    return new ParametersStatus(null, summary, null, null, ImmutableList.of(ACCEPTED, unknown));
  }

  ParametersStatus evaluate(GpuClassParametersSpec ofClass) {
    Reading reading = reader.ofClass(ofClass);
    return reading.fault().isPresent()
        ? refused(reading)
        : accepted(reading, null, ImmutableList::of);
  }

  private static ParametersStatus refused(Reading reading) {
    String reason =
        switch (reading.fault().orElseThrow()) {
          case FIELD -> "InvalidField";
          case EXPRESSION -> "InvalidExpression";
          case CONFLICT -> "ConflictingFields";
        };
    String message = StatusTexts.lines(reading.problems(), ParametersStatus.MAX_MESSAGE);
    Condition invalid = condition(ParametersStatus.VALID, FALSE, reason, message);
    return new ParametersStatus(null, null, null, null, ImmutableList.of(invalid));
  }

  private ParametersStatus accepted(
      Reading reading, @Nullable String summary, Supplier<ImmutableList<String>> unsatisfiable) {
    if (gpuNodes.isEmpty()) {
      Condition unknown = satisfiable(UNKNOWN, "NoInventory", "no node has published a GPU");
      return new ParametersStatus(null, summary, null, null, ImmutableList.of(ACCEPTED, unknown));
    }
    SearchBudget budget = budget(reading);
    ParametersMatch match = match(reading, budget);
    Condition found =
        match.nodes() > 0
            ? satisfiable(TRUE, "DevicesExist", null)
            : missing(match, unsatisfiable.get(), budget);
    return counted(summary, match, ImmutableList.of(ACCEPTED, found));
  }

  /** Numbers of only some nodes are not reported, since they would look like those of all nodes. */
  private static ParametersStatus counted(
      @Nullable String summary, ParametersMatch match, ImmutableList<Condition> conditions) {
    return match.unasked() > 0
        ? new ParametersStatus(null, summary, null, null, conditions)
        : new ParametersStatus(null, summary, match.devices(), match.nodes(), conditions);
  }

  private SearchBudget budget(Reading reading) {
    return new SearchBudget(
        reading.differsBetweenNodes() ? gpuNodes.nodes().size() : gpuNodes.kinds().size());
  }

  /** The first match that a node could serve, else an undecided one, if any. */
  private ParametersMatch match(Reading reading, SearchBudget budget) {
    ParametersMatch reported = null;
    for (var wanted : reading.wanted()) {
      ParametersMatch match =
          ParametersMatch.of(gpuNodes, wanted, reading.differsBetweenNodes(), budget);
      if (match.nodes() > 0) {
        return match;
      }
      reported =
          reported == null || (reported.isDecided() && !match.isDecided()) ? match : reported;
    }
    return requireNonNull(reported, "nothing is wrong, so something is wanted");
  }

  private Condition missing(
      ParametersMatch match, ImmutableList<String> fields, SearchBudget budget) {
    if (match.unasked() > 0) {
      return satisfiable(UNKNOWN, "TooManyCombinations", unasked(match));
    }
    if (match.undecided()) {
      return satisfiable(UNKNOWN, "TooManyCombinations", match.nearestNode());
    }
    List<String> lines = new ArrayList<>(fields);
    if (match.devices() == 0) {
      lines.addAll(new NearestMiss(reader, gpuNodes, match, budget).lines());
    }
    if (lines.isEmpty()) {
      lines.add(match.nearestNode());
    }
    return satisfiable(
        FALSE,
        match.devices() == 0 ? "NoMatchingDevice" : "NoMatchingNode",
        StatusTexts.lines(lines, ParametersStatus.MAX_MESSAGE));
  }

  private static String unasked(ParametersMatch match) {
    return "too many combinations: %d nodes were not judged; ask for fewer kinds of device%s"
        .formatted(
            match.unasked(),
            match.apart() ? ", or by what nodes with the same hardware have in common" : "");
  }

  private static Condition satisfiable(String status, String reason, @Nullable String message) {
    return condition(ParametersStatus.SATISFIABLE, status, reason, message);
  }

  private static Condition condition(
      String type, String status, String reason, @Nullable String message) {
    return new Condition(type, status, reason, message, null);
  }
}
