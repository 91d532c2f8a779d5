package io.gpudra.kubeletplugin.prepare;

import io.gpudra.crds.model.ClaimRef;

/** Reads the current state of claims from the API server. */
public interface LiveGrants {

  /** One question, answered within seconds. */
  LiveGrant of(ClaimRef claim);
}
