package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.collect.ImmutableMap;

/** The place of an error on a GPU, as far as the driver reports it. */
sealed interface ErrorOrigin {

  /** The error with its place, for people. */
  String describe(String error);

  /** The place on the GPU is unknown. */
  record Anywhere() implements ErrorOrigin {
    @Override
    public String describe(String error) {
      return error;
    }
  }

  /**
   * In one GPU instance without a known MIG device.
   *
   * @param number the driver's number of the instance
   */
  record GpuInstance(int number) implements ErrorOrigin {
    @Override
    public String describe(String error) {
      return "%s in GPU instance %d".formatted(error, number);
    }
  }

  /**
   * In these MIG devices, of which there is at least one.
   *
   * @param names by UUID
   */
  record MigDevices(ImmutableMap<String, String> names) implements ErrorOrigin {
    @Override
    public String describe(String error) {
      return "%s in MIG device %s".formatted(error, String.join(", ", names.values()));
    }
  }
}
