/**
 * Events about claims that wait or fail. Start at {@code ClaimEventRecorder}; {@code
 * UnschedulableSummary} sums up the refusals of many nodes in one sentence.
 *
 * <p>What must stay true: it decides nothing.
 */
@NullMarked
package io.gpudra.controller.dra.events;

import org.jspecify.annotations.NullMarked;
