package io.gpudra.controller.gpu;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.api.DeviceRequest;
import io.gpudra.crds.api.GpuClaimParametersSpec;
import io.gpudra.crds.api.GpuClassParametersSpec;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What can be written in parameters and has no effect in this version. It is refused here, so that
 * no field is ignored in silence; whoever gives a field its effect removes its line.
 *
 * @param ofRequests whether a request says the field
 */
record NotYet(
    ImmutableMap<String, Predicate<DeviceRequest>> ofRequests,
    ImmutableMap<String, Predicate<GpuClaimParametersSpec>> ofClaims,
    ImmutableMap<String, Predicate<GpuClassParametersSpec>> ofClasses) {

  /** Everything has its effect. */
  static final NotYet NOTHING = new NotYet(ImmutableMap.of(), ImmutableMap.of(), ImmutableMap.of());

  /** This version. */
  static final NotYet NOW =
      new NotYet(
          ImmutableMap.of(),
          ImmutableMap.of(),
          ImmutableMap.of(
              "limits.claimDuration",
              ofClass -> ofClass.limits() != null && ofClass.limits().claimDuration() != null));

  ImmutableList<String> problemsOf(GpuClaimParametersSpec claim) {
    return Stream.concat(
            problems("spec", ofClaims, claim),
            claim.entries().stream()
                .flatMap(entry -> problems(entry.path(), ofRequests, entry.request())))
        .collect(toImmutableList());
  }

  ImmutableList<String> problemsOf(GpuClassParametersSpec ofClass) {
    return problems("spec", ofClasses, ofClass).collect(toImmutableList());
  }

  private static <S> Stream<String> problems(
      String path, Map<String, Predicate<S>> fields, S spec) {
    return fields.entrySet().stream()
        .filter(field -> field.getValue().test(spec))
        .map(field -> "%s.%s: not supported by this version".formatted(path, field.getKey()));
  }
}
