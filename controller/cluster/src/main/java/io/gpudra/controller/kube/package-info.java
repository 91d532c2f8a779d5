/**
 * Implements the ports of {@code dra} by watch caches, an overlay of our own writes, and calls of
 * client-java's typed APIs. Start at {@code KubeCluster}. Only this package sees HTTP responses;
 * each becomes a {@code WriteOutcome} or {@code ApiUnavailableException}.
 *
 * <p>Claims are written by strategic merge patches. A PUT would need the whole object, which may be
 * a megabyte of other clients' data, either cached for each claim or read before each write; and
 * the typed model would drop fields of newer servers. This patch format can add or remove one
 * finalizer without listing the others and, unlike a JSON patch, does not fail for any content of
 * the object.
 *
 * <p>What must stay true: all readers get claims from {@code ClaimOverlay}, never older than our
 * own write; every patch of a claim has UID and resourceVersion; staleness of nodes is decided by
 * our own monotonic clock; Kubernetes' mutable models never leave this package.
 */
@NullMarked
package io.gpudra.controller.kube;

import org.jspecify.annotations.NullMarked;
