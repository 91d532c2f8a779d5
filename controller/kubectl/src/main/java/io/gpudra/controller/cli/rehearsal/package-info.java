/**
 * What {@code kubectl gpudra} does behind the user's back after its first run, so that the JVM can
 * archive the classes of usual commands. Start at {@code Rehearsal}; {@code PaperCluster} is what
 * the commands are run on.
 *
 * <p>What must stay true: no cluster of the user is asked, nothing is left outside the directory
 * that the start script gives, and a command that fails only makes the archive smaller.
 */
@NullMarked
package io.gpudra.controller.cli.rehearsal;

import org.jspecify.annotations.NullMarked;
