/**
 * The page of {@code kubectl gpudra dashboard}: served on the loopback address to whoever has the
 * run's token, and kept up to date over server-sent events. Start at {@code Dashboard}; what is
 * shown is made in {@code view} and {@code check}, here it is only written as JSON. The page itself
 * is one HTML, one CSS and one JavaScript file among the resources; {@code Scene} says what they
 * are sent.
 *
 * <p>What must stay true: no request is answered that {@code Gate} does not let in; text of the
 * cluster leaves here as JSON or plain text only, never as HTML; a window that is slow costs one
 * scene, however much happens; connections that were not let in keep no browser out; nothing is
 * written to the cluster.
 */
@NullMarked
package io.gpudra.controller.page;

import org.jspecify.annotations.NullMarked;
