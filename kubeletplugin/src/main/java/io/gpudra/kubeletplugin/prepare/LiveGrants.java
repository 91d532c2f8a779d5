package io.gpudra.kubeletplugin.prepare;

import io.gpudra.crds.model.ClaimRef;

/** Reads the current state of claims from the API server. */
public interface LiveGrants {

  /** Reads one claim, within seconds. */
  LiveGrant of(ClaimRef claim);
}
