package io.gpudra.controller.view.dryrun;

import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;

/**
 * A claim that holds devices of a node for which others wait.
 *
 * @param draining whether the claim is deallocated and only still prepared on the node
 */
public record BlockingClaim(ClaimUid uid, ClaimRef ref, boolean draining) {}
