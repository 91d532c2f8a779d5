package io.gpudra.controller.allocation.search;

import io.gpudra.controller.allocation.request.ClaimRequest;

/**
 * One claim of a search problem.
 *
 * @param number the claim's number, from 0
 * @param parent whether other claims of the problem are carved out of its devices
 * @param depth the number of other claims that must be served before it
 */
public record IndexedClaim(int number, ClaimRequest request, boolean parent, int depth) {}
