/**
 * The commands of {@code kubectl gpudra}, each over one reading of the cluster with the caller's
 * own rights. Start at {@code Gpudra}, then any of its subcommands; what they tell is made in
 * {@code view} and {@code check}, here it is only asked for and printed.
 *
 * <p>What must stay true: nothing is written to the cluster; what the caller may not read is said;
 * text of the cluster reaches a terminal without control characters; with {@code -o json} nothing
 * but JSON goes to standard output.
 */
@NullMarked
package io.gpudra.controller.cli;

import org.jspecify.annotations.NullMarked;
