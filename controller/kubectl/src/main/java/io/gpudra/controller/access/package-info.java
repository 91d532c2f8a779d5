/**
 * The objects of the cluster that the caller may read: listed once with the caller's own
 * permissions, or kept up to date by watches. Start at {@code ClusterView}.
 *
 * <p>What must stay true: nothing is written to the cluster, and kinds that the caller may not read
 * are named.
 */
@NullMarked
package io.gpudra.controller.access;

import org.jspecify.annotations.NullMarked;
