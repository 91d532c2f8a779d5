package io.gpudra.controller.kube;

import io.gpudra.controller.dra.ClaimFacts;
import io.kubernetes.client.openapi.models.V1alpha2ResourceClaim;

/**
 * A claim at one resourceVersion: the facts for everybody, the object for the next PUT. The object
 * is shared by threads and never changed.
 */
record KeptClaim(V1alpha2ResourceClaim object, ClaimFacts facts) {}
