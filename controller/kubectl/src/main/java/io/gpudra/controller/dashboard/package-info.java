/**
 * The page of {@code kubectl gpudra dashboard}. It is served on the loopback address, requires the
 * run's token, and is updated by server-sent events. Start at {@code Dashboard}. The content comes
 * from {@code view} and {@code check}; this package writes it as JSON. The page itself is one HTML,
 * one CSS and one JavaScript file in the resources; {@code DashboardState} documents the events.
 *
 * <p>What must stay true: only requests that {@code TokenAuth} accepts are answered; text from the
 * cluster is sent as JSON or plain text, never as HTML; a slow window holds at most one state in
 * memory; unauthenticated connections cannot lock out the browser; nothing is written to the
 * cluster.
 */
@NullMarked
package io.gpudra.controller.dashboard;

import org.jspecify.annotations.NullMarked;
