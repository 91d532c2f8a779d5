package io.gpudra.kubeletplugin.device;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.Gpu;
import java.io.IOException;
import java.util.Optional;

/**
 * The GPUs of this node. All methods may be called from several threads; setting up and tearing
 * down one GPU is never asked for twice at the same time.
 */
public interface Devices {

  /** All GPUs, ordered by index. */
  ImmutableList<Gpu> gpus();

  /** Version of the kernel driver such as {@code 535.104.05}; empty when unknown. */
  String driverVersion();

  /** Such as {@code 12.2}; empty when unknown. */
  String cudaDriverVersion();

  /**
   * Makes a GPU ready for one claim. Repeatable: a GPU that is ready stays as it is.
   *
   * @throws IOException when the GPU is unknown or cannot be made ready
   */
  void setUp(String uuid) throws IOException;

  /**
   * Takes back what {@link #setUp} did, fully or in part. Repeatable; an unknown GPU has nothing to
   * take back.
   *
   * @throws IOException when something is left
   */
  void tearDown(String uuid) throws IOException;

  /** Takes back everything that an earlier boot may have left. */
  void reset() throws IOException;

  /** The GPU with the given UUID. */
  default Optional<Gpu> find(String uuid) {
    return gpus().stream().filter(gpu -> gpu.uuid().equals(uuid)).findFirst();
  }
}
