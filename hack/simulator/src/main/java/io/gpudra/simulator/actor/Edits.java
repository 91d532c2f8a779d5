package io.gpudra.simulator.actor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Resource;
import java.util.Optional;
import java.util.function.Predicate;

/** Read, change, write with the version read; what a patch without a version does on a server. */
public record Edits(Api api, Resource resource) {
  private static final int MAX_ATTEMPTS = 20;

  /**
   * Changes the status of the object with that UID.
   *
   * @param change edits the copy; false leaves the object as it is
   * @return false when the object is gone or another one has its name
   */
  public boolean status(ObjectNode target, Predicate<ObjectNode> change) {
    for (int attempt = 1; ; attempt++) {
      Optional<ObjectNode> live = api.get(resource, Meta.namespace(target), Meta.name(target));
      if (live.isEmpty() || !Meta.uid(live.get()).equals(Meta.uid(target))) {
        return false;
      }
      try {
        if (change.test(live.get())) {
          api.updateStatus(resource, live.get());
        }
        return true;
      } catch (ApiError e) {
        if (e.code() != 409 || attempt == MAX_ATTEMPTS) {
          throw e;
        }
      }
    }
  }
}
