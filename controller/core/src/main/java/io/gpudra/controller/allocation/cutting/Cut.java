package io.gpudra.controller.allocation.cutting;

import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.MigProfile;
import java.util.Optional;

/**
 * A GPU instance that is wanted of a GPU, wherever it fits.
 *
 * @param starts first memory slices at which it will do: bit <i>i</i> stands for <i>i</i>
 */
public record Cut(MigProfile profile, long starts) {

  public static Slice slice(MigProfile profile, int start) {
    return new Slice(profile.name(), start, profile.size(), profile.compute(), Optional.empty());
  }

  public boolean mayStartAt(int start) {
    return (starts >> start & 1) == 1;
  }
}
