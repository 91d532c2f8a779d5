package io.gpudra.simulator.store;

import io.gpudra.simulator.api.Resource;
import java.util.Optional;

/**
 * One write.
 *
 * @param type ADDED, MODIFIED or DELETED
 * @param now the new version; of a DELETED the last one, with the revision of the deletion
 * @param before the version it replaced
 */
public record Change(String type, Resource resource, Key key, Stored now, Optional<Stored> before) {

  /** The revision this write made. */
  public long revision() {
    return now.revision();
  }
}
