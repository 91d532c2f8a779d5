package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Reason;

/**
 * Which nodes a pod cannot have, claim by claim.
 *
 * @param unsuitable for every claim asked about: node → why not; a node that is not there is
 *     suitable
 */
public record Suitability(ImmutableMap<ClaimUid, ImmutableMap<String, Reason>> unsuitable) {}
