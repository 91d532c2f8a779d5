package io.gpudra.crds.handle;

import io.gpudra.crds.model.Grant;

/** The result of reading a handle's text. */
public sealed interface DecodedHandle {

  /** A grant that this version can read. */
  record Decoded(Grant grant) implements DecodedHandle {}

  /** Any other text, with the reason, such as {@code handle format 7 is newer than 2}. */
  record Unreadable(String problem) implements DecodedHandle {}
}
