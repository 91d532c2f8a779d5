/**
 * What the claims of one pod ask for, as plain values: {@code PodRequest} of claims, each with
 * alternatives, each of wishes for devices of one kind. Says nothing of nodes or of who has what.
 *
 * <p>What must stay true: a request that can be made can be served by some node; equal requests are
 * equal values, whoever asks.
 */
@NullMarked
package io.gpudra.controller.allocation.request;

import org.jspecify.annotations.NullMarked;
