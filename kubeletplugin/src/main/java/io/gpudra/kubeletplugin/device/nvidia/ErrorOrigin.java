package io.gpudra.kubeletplugin.device.nvidia;

import com.google.common.collect.ImmutableMap;

/** The place of an error on a GPU, as far as the driver reports it. */
sealed interface ErrorOrigin {

  /** An error, and where it was, for people. */
  String told(String error);

  /** Somewhere on the GPU. */
  record Anywhere() implements ErrorOrigin {
    @Override
    public String told(String error) {
      return error;
    }
  }

  /**
   * In one GPU instance, of which no MIG device is known.
   *
   * @param number the driver's for it
   */
  record GpuInstance(int number) implements ErrorOrigin {
    @Override
    public String told(String error) {
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
    public String told(String error) {
      return "%s in MIG device %s".formatted(error, String.join(", ", names.values()));
    }
  }
}
