package io.gpudra.controller.gpu;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import java.util.Map;

/**
 * A checked condition on one device. Devices that agree in the attributes it reads are judged once:
 * most conditions are about the model, and a cluster has few models.
 */
final class DeviceExpression {

  private static final int MOST_REMEMBERED = 10_000;

  private final String text;
  private final CelRuntime.Program program;
  private final ImmutableSet<Attribute> reads;
  private final GpuAlerts alerts;
  private final Cache<ImmutableList<Object>, Boolean> judged =
      CacheBuilder.newBuilder().maximumSize(MOST_REMEMBERED).build();

  DeviceExpression(
      String text, CelRuntime.Program program, ImmutableSet<Attribute> reads, GpuAlerts alerts) {
    this.text = text;
    this.program = program;
    this.reads = reads;
    this.alerts = alerts;
  }

  String text() {
    return text;
  }

  boolean reads(Attribute attribute) {
    return reads.contains(attribute);
  }

  boolean matches(Device device) {
    ImmutableList<Object> values =
        reads.stream()
            .map(attribute -> attribute.of(device))
            .collect(ImmutableList.toImmutableList());
    Boolean known = judged.getIfPresent(values);
    if (known != null) {
      return known;
    }
    boolean matches = evaluate(bound(values));
    judged.put(values, matches);
    return matches;
  }

  private ImmutableMap<String, Object> bound(ImmutableList<Object> values) {
    ImmutableMap.Builder<String, Object> variables = ImmutableMap.builder();
    for (int i = 0; i < values.size(); i++) {
      variables.put(reads.asList().get(i).variable(), values.get(i));
    }
    return variables.buildOrThrow();
  }

  /** CEL answers an unknown set, no exception, when it misses a variable: that is never a match. */
  private boolean evaluate(Map<String, Object> variables) {
    try {
      Object result = program.eval(variables);
      if (!(result instanceof Boolean)) {
        alerts.conditionBroken(text, result.getClass().getSimpleName());
      }
      return Boolean.TRUE.equals(result);
    } catch (CelEvaluationException e) {
      alerts.conditionFailed(text, String.valueOf(e.getMessage()));
      return false;
    }
  }
}
