/**
 * The ports of {@code dra} over watch caches, an overlay of our own writes, and JSON calls. Start
 * at {@code KubeCluster}. The only package that sees HTTP answers: every one becomes a {@code
 * WriteOutcome} or {@code Unavailable}.
 *
 * <p>What must stay true: everybody learns of claims through {@code ClaimOverlay}, never older than
 * our own write; every PUT carries UID and resourceVersion; whether a node is stale is judged by
 * our own monotonic clock; Kubernetes' mutable models never leave this package.
 */
@NullMarked
package io.gpudra.controller.kube;

import org.jspecify.annotations.NullMarked;
