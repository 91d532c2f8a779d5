package io.gpudra.controller.view.whatif;

import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;

/**
 * A claim that holds devices of a node that others wait for.
 *
 * @param draining it is deallocated and only still prepared there
 */
public record BlockingClaim(ClaimUid uid, ClaimRef ref, boolean draining) {}
