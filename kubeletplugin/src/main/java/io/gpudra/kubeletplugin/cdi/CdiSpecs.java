package io.gpudra.kubeletplugin.cdi;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import java.io.IOException;

/** The spec files of this driver on this node, one for each prepared claim. */
public interface CdiSpecs {

  /** How claims are called in the files. */
  CdiNames names();

  /**
   * Writes the claim's file, unless it is already as wanted. A reader sees the old file or the new
   * one, never a part.
   */
  void write(ClaimUid claim, CdiSpec spec) throws IOException;

  /** Removes the claim's file; there need not be one. */
  void remove(ClaimUid claim) throws IOException;

  /** The claims that have a file. */
  ImmutableSet<ClaimUid> present() throws IOException;
}
