/**
 * What people see of a cluster with their own rights: listed once, or kept by watches for somebody
 * who looks again and again. Start at {@code ClusterSight}.
 *
 * <p>What must stay true: nothing is written to the cluster, and what may not be read is named.
 */
@NullMarked
package io.gpudra.controller.sight;

import org.jspecify.annotations.NullMarked;
