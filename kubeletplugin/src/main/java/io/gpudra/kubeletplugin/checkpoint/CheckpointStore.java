package io.gpudra.kubeletplugin.checkpoint;

import java.io.IOException;
import java.util.Optional;

/**
 * Keeps the newest {@link Checkpoint} over restarts and power cuts. Used by one thread at a time.
 */
public interface CheckpointStore {

  /**
   * The newest checkpoint; empty when there never was one.
   *
   * @throws IOException when there is one that cannot be trusted; it stays unchanged
   */
  Optional<Checkpoint> load() throws IOException;

  /**
   * Replaces the checkpoint; when this returns, it survives a power cut.
   *
   * @throws IOException with place and cause, when it is not certain which of the two checkpoints
   *     is stored
   */
  void save(Checkpoint checkpoint) throws IOException;

  /** Whether the checkpoint is missing, although one was loaded or saved. */
  boolean lost();
}
