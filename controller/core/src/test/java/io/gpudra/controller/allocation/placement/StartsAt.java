package io.gpudra.controller.allocation.placement;

import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.testing.FixedPredicate;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Inventory;
import java.util.Optional;

/** MIG devices that start at this memory slice. */
record StartsAt(int start) implements FixedPredicate {

  /** One of the profile that does. */
  static DeviceSubRequest mig(String profile, int start) {
    return Worlds.wish(1, new DeviceKind.Mig(Optional.of(profile)), new StartsAt(start));
  }

  @Override
  public boolean differsBetweenPlaces() {
    return true;
  }

  @Override
  public long matching(Inventory inventory) {
    return 0;
  }

  @Override
  public long matching(Inventory inventory, Part.Slice slice) {
    return slice.start() == start ? -1 : 0;
  }

  @Override
  public String text() {
    return "start " + start;
  }
}
