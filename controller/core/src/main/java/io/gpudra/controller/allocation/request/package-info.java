/**
 * The requests of the claims of one pod, as plain values: a {@code PodRequest} has claims, each
 * with alternatives, each with sub-requests for devices of one kind. This package knows no nodes
 * and holders.
 *
 * <p>What must stay true: every valid request can be served by some node; equal requests are equal
 * values, regardless of the claim.
 */
@NullMarked
package io.gpudra.controller.allocation.request;

import org.jspecify.annotations.NullMarked;
