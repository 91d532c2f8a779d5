/**
 * The API server made safe to talk to: lenient JSON, calls that time out, warnings that are told
 * once. Knows nothing of DRA; each class names the defect of client-java's own that it replaces
 * (client-java.md 2). Start at {@link io.gpudra.controller.client.HttpClients}. Lists and watches
 * are in {@code watch}, the elector that halts in {@code election}; both use what is here, and
 * neither the other.
 *
 * <p>Client-java's leader elector, work queue and event recorder are not used (defects 2, 3, 14 to
 * 19). What must stay true: no unary call outlives its timeout; nothing that was sent is sent again
 * silently.
 */
@NullMarked
package io.gpudra.controller.client;

import org.jspecify.annotations.NullMarked;
