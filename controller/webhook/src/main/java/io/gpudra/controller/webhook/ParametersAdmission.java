package io.gpudra.controller.webhook;

import com.google.common.collect.ImmutableList;
import com.google.gson.JsonParseException;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.api.problem.ProblemList;
import java.util.function.Function;

/** Validates parameters with a new spec by the rules of the driver that hold for every class. */
record ParametersAdmission(GpuDriver driver) {

  AdmissionDecision ofClaim(ReviewRequest review) {
    return whenChanged(review, GpuClaimParameters.class, driver::problems);
  }

  AdmissionDecision ofClass(ReviewRequest review) {
    return whenChanged(review, GpuClassParameters.class, driver::problems);
  }

  private static <T> AdmissionDecision whenChanged(
      ReviewRequest review, Class<T> type, Function<T, ImmutableList<String>> problems) {
    if (!review.changesSpec() || review.ofPart() || review.ofEndingObject()) {
      return AdmissionDecision.allowed();
    }
    try {
      return AdmissionDecision.of(problems.apply(review.object(type)));
    } catch (JsonParseException e) {
      return AdmissionDecision.warned(
          "could not be read: " + ProblemList.shortened("" + e.getMessage()));
    }
  }
}
