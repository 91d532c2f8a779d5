/**
 * The command {@code check} of the controller's image and of {@code kubectl gpudra}, and classes
 * for all commands: progress, connection errors, text without control characters. Start at {@code
 * CheckCommand}.
 *
 * <p>What must stay true: nothing is written to the cluster; text of the cluster reaches a terminal
 * without control characters.
 */
@NullMarked
package io.gpudra.controller.check.command;

import org.jspecify.annotations.NullMarked;
