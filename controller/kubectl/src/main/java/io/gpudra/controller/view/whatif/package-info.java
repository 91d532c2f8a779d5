/**
 * What would happen if: nothing here is in the cluster, and nothing of it gets there. Start at
 * {@code Rehearsal}, which plays the controller for objects that are only written down; {@code
 * ReleaseSearch} finds whose devices a pod waits for.
 *
 * <p>What must stay true: the controller's own code decides, here it is only asked in order; a copy
 * of the ledgers is changed, never the reading; every search ends by a budget and says so.
 */
@NullMarked
package io.gpudra.controller.view.whatif;

import org.jspecify.annotations.NullMarked;
