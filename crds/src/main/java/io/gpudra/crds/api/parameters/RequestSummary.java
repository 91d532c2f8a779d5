package io.gpudra.crds.api.parameters;

import io.gpudra.crds.api.parameters.GpuClaimParametersSpec.Entry;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Summarizes a claim's request (api.md 7.1); its spec has been checked. */
public final class RequestSummary {

  private RequestSummary() {}

  /** The text, of any length and with the claim's own line breaks. */
  public static String of(GpuClaimParametersSpec claim) {
    return claim.entries().size() == 1
        ? words(Stream.concat(words(claim.entries().get(0)), together(claim)))
        : words(Stream.concat(Stream.of(listed(claim)), together(claim)));
  }

  private static String listed(GpuClaimParametersSpec claim) {
    return "%d %s: %s"
        .formatted(
            claim.entries().size(),
            claim.requests() == null ? "alternatives" : "requests",
            claim.entries().stream()
                .map(entry -> words(words(entry)))
                .collect(Collectors.joining(", ")));
  }

  private static Stream<String> words(Entry entry) {
    return Stream.concat(Stream.of(device(entry.request())), conditions(entry.request()));
  }

  private static String device(DeviceRequest request) {
    if (request.migProfile() != null) {
      return request.countOrDefault() + " MIG " + request.migProfile();
    }
    String compute = request.millicores() == null ? "" : " and " + request.millicores() + "m";
    return (request.memoryLimit() == null ? "" : request.memoryLimit() + compute + " of ")
        + gpus(request);
  }

  private static String gpus(DeviceRequest request) {
    if (request.wantsAll()) {
      return "all GPUs";
    }
    return request.countOrDefault() == 1 ? "1 GPU" : request.countOrDefault() + " GPUs";
  }

  private static Stream<String> conditions(DeviceRequest request) {
    return Stream.of(
            Stream.ofNullable(request.memory()).map(size -> ">=" + size),
            Stream.ofNullable(request.capabilities()).flatMap(List::stream),
            Stream.ofNullable(request.cel()).map(cel -> "where " + cel))
        .flatMap(some -> some);
  }

  private static Stream<String> together(GpuClaimParametersSpec claim) {
    boolean preferred = GpuClaimParametersSpec.PREFERRED.equals(claim.topologyPolicy());
    return Stream.of(
            Stream.ofNullable(claim.topology()).map(by -> preferred ? by + " preferred" : by),
            Stream.ofNullable(claim.sameAttribute())
                .map(same -> "same " + String.join(" and ", same)),
            Stream.ofNullable(claim.insideClaim()).map(entry -> "inside " + entry))
        .flatMap(some -> some);
  }

  /** Without repetitions: a capability may have the name of a topology. */
  private static String words(Stream<String> some) {
    return some.distinct().collect(Collectors.joining(" "));
  }
}
