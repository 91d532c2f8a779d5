package io.gpudra.controller.allocation.refusal;

import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import java.util.Collection;
import java.util.List;

/** GPUs whose MIG mode is off until an administrator switches it on. */
public final class DisabledMigMode {

  /** The action of the administrator. */
  public static final String MENDED_BY =
      " (an administrator switches it on: nvidia-smi -i N -mig 1, then nvidia-smi --gpu-reset -i N)";

  private DisabledMigMode() {}

  /** Whether the mode is off; without known profiles, the plugin cannot use MIG mode. */
  public static boolean is(Gpu gpu) {
    return gpu.mig().mode() == MigMode.DISABLED
        && (!gpu.mig().switchable() || gpu.model().migProfiles().isEmpty());
  }

  /** Names these GPUs and the remedy; empty when there is none. */
  public static String text(Collection<Gpu> gpus) {
    List<Gpu> off = gpus.stream().filter(DisabledMigMode::is).toList();
    return switch (off.size()) {
      case 0 -> "";
      case 1 -> "MIG mode is off on %s%s".formatted(off.get(0).name(), MENDED_BY);
      default -> "MIG mode is off on %d GPUs%s".formatted(off.size(), MENDED_BY);
    };
  }
}
