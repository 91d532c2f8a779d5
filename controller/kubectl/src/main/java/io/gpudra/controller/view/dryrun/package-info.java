/**
 * Dry runs, which change nothing in the cluster. Start at {@code DryRun}, which simulates the
 * controller for objects of files. {@code ReleaseSearch} finds claims whose release lets a pod run.
 *
 * <p>What must stay true: the controller's own code makes all decisions; a copy of the ledgers is
 * changed, never the snapshot; every search has a budget and reports when it is exhausted.
 */
@NullMarked
package io.gpudra.controller.view.dryrun;

import org.jspecify.annotations.NullMarked;
