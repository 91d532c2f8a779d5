package io.gpudra.scenarios.script;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.scenarios.script.Observed.Device;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Expected GPUs; empty fields match everything.
 *
 * @param said patterns of each GPU's attributes; may be negated by {@code !}
 * @param alike attributes that must be equal for all GPUs
 */
record WantedDevices(
    @Nullable Integer number, ImmutableMap<String, String> said, List<String> alike) {

  static WantedDevices of(
      @Nullable Integer number,
      @Nullable String model,
      @Nullable Map<String, String> attributes,
      @Nullable Map<String, String> environment,
      @Nullable List<String> alike) {
    ImmutableMap.Builder<String, String> said = ImmutableMap.builder();
    said.putAll(Objects.requireNonNullElse(environment, Map.of()));
    said.putAll(Objects.requireNonNullElse(attributes, Map.of()));
    if (model != null) {
      said.put("model", model);
    }
    return new WantedDevices(
        number, said.buildOrThrow(), Objects.requireNonNullElse(alike, List.of()));
  }

  /**
   * Compares them with the observed GPUs.
   *
   * @param subject name of the holder for messages
   * @param seen the observed GPUs for messages
   */
  void compare(String subject, List<Device> gpus, Object seen, Differences found) {
    if (number != null && gpus.size() != number) {
      found.add("%s: expected %d GPUs, saw %s", subject, number, seen);
    }
    gpus.forEach(gpu -> said.forEach((what, value) -> compare(subject, gpu, what, value, found)));
    for (String what : alike) {
      if (gpus.stream().map(gpu -> gpu.said(what)).distinct().count() > 1
          || gpus.stream().anyMatch(gpu -> gpu.said(what).isEmpty())) {
        found.add(
            "%s: expected one %s, saw %s",
            subject, what, gpus.stream().map(gpu -> gpu.name() + told(gpu, what)).toList());
      }
    }
  }

  private static void compare(
      String subject, Device gpu, String what, String wanted, Differences found) {
    if (!matches(wanted, gpu.said(what))) {
      found.add("%s: expected %s %s, saw %s%s", subject, what, wanted, gpu.name(), told(gpu, what));
    }
  }

  /** Whether one of the values is as the pattern says, or none of them after {@code !}. */
  static boolean matches(String pattern, Collection<String> values) {
    return pattern.startsWith("!")
        ? !values.isEmpty() && !matches(pattern.substring(1), values)
        : values.stream().anyMatch(value -> value.matches(pattern));
  }

  private static String told(Device gpu, String what) {
    ImmutableSet<String> said = gpu.said(what);
    return " with " + (said.isEmpty() ? "none" : String.join(", ", said));
  }
}
