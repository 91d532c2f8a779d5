/**
 * The commands of {@code kubectl gpudra}, each over one snapshot of the cluster with the caller's
 * own permissions. Start at {@code GpudraCommand}, then any of its subcommands. The content comes
 * from {@code view} and {@code check}; this package prints it.
 *
 * <p>What must stay true: nothing is written to the cluster; kinds that the caller may not read are
 * named; text from the cluster is printed without control characters; with {@code -o json} standard
 * output only has JSON.
 */
@NullMarked
package io.gpudra.controller.cli;

import org.jspecify.annotations.NullMarked;
