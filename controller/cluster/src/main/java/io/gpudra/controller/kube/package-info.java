/**
 * The ports of {@code dra} over watch caches, an overlay of our own writes, and calls of
 * client-java's typed APIs. Start at {@code KubeCluster}. The only package that sees HTTP answers:
 * every one becomes a {@code WriteOutcome} or {@code Unavailable}.
 *
 * <p>Claims are written by strategic merge patches. A PUT would need the whole object, which may be
 * a megabyte that somebody else wrote: either kept for each claim, or read again before each write;
 * and the typed model would drop what a newer server knows. Among patches it is this form because
 * only here a finalizer comes and goes without a word about those of others, and because no shape
 * of the object makes it fail, as it does a JSON patch.
 *
 * <p>What must stay true: everybody learns of claims through {@code ClaimOverlay}, never older than
 * our own write; every patch of a claim carries UID and resourceVersion; whether a node is stale is
 * judged by our own monotonic clock; Kubernetes' mutable models never leave this package.
 */
@NullMarked
package io.gpudra.controller.kube;

import org.jspecify.annotations.NullMarked;
