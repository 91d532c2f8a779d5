/**
 * The ports of {@code dra} over watch caches, an overlay of our own writes, and the typed API. The
 * only package that sees {@code ApiException}: every one becomes a {@code WriteOutcome} or {@code
 * Unavailable}.
 */
@NullMarked
package io.gpudra.controller.kube;

import org.jspecify.annotations.NullMarked;
