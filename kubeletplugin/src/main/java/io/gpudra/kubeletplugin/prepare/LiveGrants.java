package io.gpudra.kubeletplugin.prepare;

import io.gpudra.crds.model.ClaimRef;

/** What the API server says of claims at this moment. */
public interface LiveGrants {

  /** One question, answered within seconds. */
  LiveGrant of(ClaimRef claim);
}
