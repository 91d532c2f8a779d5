/**
 * Runs usual commands in the background after the first run of {@code kubectl gpudra}, so that the
 * JVM can archive their classes. Start at {@code TrainingRun}; the commands run against {@code
 * StubApiServer}, a fake API server.
 *
 * <p>What must stay true: no cluster of the user is contacted, no files are written outside the
 * directory of the start script, and a failed command only makes the archive smaller.
 */
@NullMarked
package io.gpudra.controller.cli.training;

import org.jspecify.annotations.NullMarked;
