/**
 * A snapshot of the cluster, and the ledgers that the controller would build from it. Start at
 * {@code ClusterSnapshot}.
 *
 * <p>What must stay true: nothing here writes, waits or reads a clock, and no rule of the
 * controller is repeated here.
 */
@NullMarked
package io.gpudra.controller.snapshot;

import org.jspecify.annotations.NullMarked;
