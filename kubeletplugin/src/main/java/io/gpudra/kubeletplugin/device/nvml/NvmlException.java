package io.gpudra.kubeletplugin.device.nvml;

import java.io.IOException;

/** A failed call to the driver, in its own words. */
public final class NvmlException extends IOException {
  private static final long serialVersionUID = 1;

  private final NvmlReturn answer;

  NvmlException(String function, NvmlReturn answer, String words) {
    super("%s: %s".formatted(function, words));
    this.answer = answer;
  }

  /** The kind of failure. */
  public NvmlReturn answer() {
    return answer;
  }
}
