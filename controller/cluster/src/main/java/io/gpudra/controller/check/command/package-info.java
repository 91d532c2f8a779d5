/**
 * {@code check} as the controller's image and {@code kubectl gpudra} both have it, with what any
 * command tells a person: progress, why a server did not answer, text without control characters.
 * Start at {@code CheckCommand}.
 *
 * <p>What must stay true: nothing is written to the cluster; text of the cluster reaches a terminal
 * without control characters.
 */
@NullMarked
package io.gpudra.controller.check.command;

import org.jspecify.annotations.NullMarked;
