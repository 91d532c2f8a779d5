package io.gpudra.controller.allocation.search;

import io.gpudra.controller.allocation.request.ClaimRequest;

/**
 * One of the claims that are asked about together.
 *
 * @param number which of them, from 0
 * @param parent others of them are carved out of its devices
 * @param depth how many others of them must be served before it
 */
public record Asking(int number, ClaimRequest request, boolean parent, int depth) {}
