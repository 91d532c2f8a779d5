package io.gpudra.crds.handle;

import io.gpudra.crds.model.Grant;

/** What a handle's text turned out to be. */
public sealed interface DecodedHandle {

  /** A grant this version understands. */
  record Understood(Grant grant) implements DecodedHandle {}

  /**
   * Anything else, with a sentence that says why, such as {@code handle format 7 is newer than 2}.
   */
  record Unreadable(String problem) implements DecodedHandle {}
}
