package io.gpudra.controller.dra.claims;

import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassState;

/**
 * The facts that decide on a claim.
 *
 * @param parametersMissing parameters that the class or the claim names do not exist; only read for
 *     an Immediate claim of ours
 * @param owned a running pass of other work owns the claim
 * @param wanted a scheduling context of a live pod names the claim
 * @param isSurplus another claim has the same devices, and no node has prepared them for this claim
 */
record ClaimSituation(
    ClaimFacts claim,
    ClassState classState,
    boolean parametersMissing,
    boolean owned,
    boolean wanted,
    boolean isSurplus) {}
