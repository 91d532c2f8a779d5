package io.gpudra.kubeletplugin.device.nvidia;

import io.gpudra.crds.model.node.DeviceTaint.Effect;

/** Where on a GPU an error happened, as far as the driver tells. */
sealed interface Origin {

  /** An error, and where it was, for people. */
  String told(String error);

  /** The most that may come of it. */
  Effect worst();

  /** Somewhere on the GPU. */
  record Anywhere() implements Origin {
    @Override
    public String told(String error) {
      return error;
    }

    @Override
    public Effect worst() {
      return Effect.NO_EXECUTE;
    }
  }

  /**
   * In one GPU instance, which drives no pod from the others.
   *
   * @param number the driver's for it
   */
  record GpuInstance(int number) implements Origin {
    @Override
    public String told(String error) {
      return "%s in GPU instance %d".formatted(error, number);
    }

    @Override
    public Effect worst() {
      return Effect.NO_SCHEDULE;
    }
  }
}
