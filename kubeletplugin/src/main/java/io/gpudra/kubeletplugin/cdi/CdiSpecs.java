package io.gpudra.kubeletplugin.cdi;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import java.io.IOException;

/** The spec files of this driver on this node, one for each prepared claim. */
public interface CdiSpecs {

  /** The names of claims in the files. */
  CdiNames names();

  /**
   * Writes the claim's file, unless its content is already the same. A reader sees the old file or
   * the new one, never a part.
   */
  void write(ClaimUid claim, CdiSpec spec) throws IOException;

  /** Removes the claim's file, if there is one. */
  void remove(ClaimUid claim) throws IOException;

  /** The claims that have a file. */
  ImmutableSet<ClaimUid> present() throws IOException;
}
