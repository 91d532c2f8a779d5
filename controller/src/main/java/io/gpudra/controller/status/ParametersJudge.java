package io.gpudra.controller.status;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.gpu.ParametersReader;
import io.gpudra.controller.gpu.Reading;
import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.ParametersStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is to be said of a spec (api.md 2.8 and 7.1); of no generation, and without times. Depends
 * on nothing but the spec and the fleet.
 */
record ParametersJudge(ParametersReader reader, Fleet fleet) {

  private static final String TRUE = "True";
  private static final String FALSE = "False";
  private static final String UNKNOWN = "Unknown";
  private static final Condition ACCEPTED =
      condition(ParametersStatus.VALID, TRUE, "Accepted", null);

  ParametersStatus judge(GpuClaimParametersSpec claim) {
    Reading reading = reader.ofClaim(claim);
    return reading.fault().isPresent()
        ? refused(reading)
        : accepted(reading, Summary.of(claim), () -> reader.unsatisfiable(claim, fleet.offered()));
  }

  ParametersStatus judge(GpuClassParametersSpec ofClass) {
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
    String message = Texts.lines(reading.problems(), ParametersStatus.MOST_MESSAGE);
    Condition invalid = condition(ParametersStatus.VALID, FALSE, reason, message);
    return new ParametersStatus(null, null, null, null, ImmutableList.of(invalid));
  }

  private ParametersStatus accepted(
      Reading reading, @Nullable String summary, Supplier<ImmutableList<String>> unsatisfiable) {
    if (fleet.isEmpty()) {
      Condition unknown = satisfiable(UNKNOWN, "NoInventory", "no node has published a GPU");
      return new ParametersStatus(null, summary, null, null, ImmutableList.of(ACCEPTED, unknown));
    }
    Match match = match(reading);
    Condition found =
        match.nodes() > 0
            ? satisfiable(TRUE, "DevicesExist", null)
            : missing(match, unsatisfiable.get());
    return new ParametersStatus(
        null, summary, match.devices(), match.nodes(), ImmutableList.of(ACCEPTED, found));
  }

  /** The first that any node could hold. */
  private Match match(Reading reading) {
    Match first = null;
    for (var wanted : reading.wanted()) {
      Match match = Match.of(fleet, wanted, reading.tellsNodesApart());
      if (match.nodes() > 0) {
        return match;
      }
      first = first == null ? match : first;
    }
    return requireNonNull(first, "nothing is wrong, so something is wanted");
  }

  private Condition missing(Match match, ImmutableList<String> fields) {
    if (match.undecided()) {
      return satisfiable(UNKNOWN, "TooManyCombinations", match.nearestNode());
    }
    List<String> lines = new ArrayList<>(fields);
    if (match.devices() == 0) {
      lines.addAll(new NearestMiss(reader, fleet, match).lines());
    }
    if (lines.isEmpty()) {
      lines.add(match.nearestNode());
    }
    return satisfiable(
        FALSE,
        match.devices() == 0 ? "NoMatchingDevice" : "NoMatchingNode",
        Texts.lines(lines, ParametersStatus.MOST_MESSAGE));
  }

  private static Condition satisfiable(String status, String reason, @Nullable String message) {
    return condition(ParametersStatus.SATISFIABLE, status, reason, message);
  }

  private static Condition condition(
      String type, String status, String reason, @Nullable String message) {
    return new Condition(type, status, reason, message, null);
  }
}
