/**
 * A safe client of the API server: lenient JSON, calls with timeouts, deduplicated events. It does
 * not know DRA. Each class names the defect of client-java that it replaces (client-java.md 2).
 * Start at {@link io.gpudra.controller.client.HttpClients}. Lists and watches are in {@code watch},
 * the leader election in {@code election}; both use this package, and neither uses the other.
 *
 * <p>Client-java's leader elector, work queue and event recorder are not used (defects 2, 3, 14 to
 * 19). What must stay true: no unary call outlives its timeout; no request is silently sent twice.
 */
@NullMarked
package io.gpudra.controller.client;

import org.jspecify.annotations.NullMarked;
