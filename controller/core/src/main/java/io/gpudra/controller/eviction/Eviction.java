package io.gpudra.controller.eviction;

import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.DeviceTaint;
import java.time.Instant;

/**
 * A pod that must go.
 *
 * @param because the use of a device that it must give up first
 * @param taint of that device
 * @param at since when
 */
record Eviction(PodRef pod, GpuUse because, DeviceTaint taint, Instant at) {

  /** For people: {@code gpu-3: XID 79 (fell off the bus)}. */
  String text() {
    String value = taint.value().isEmpty() ? "" : "=" + taint.value();
    return because.device()
        + ": "
        + (taint.reason().isEmpty() ? "tainted " + taint.key() + value : taint.reason());
  }
}
