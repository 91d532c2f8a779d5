/**
 * A port for the API servers' requests, over TLS, HTTP/1.1 with connections that are kept, which is
 * what API servers use. Start at {@code ReviewPort}.
 *
 * <p>What must stay true: anybody in the cluster may reach it, so no client keeps others from it.
 * {@code Clients} has the limits: of connections, of the time that each state of one may last, and
 * of the bytes that are kept of requests that have not come whole. Newcomers do not wait: one of
 * the address with the most connections goes, or whose request is largest. One thread serves all
 * clients and waits for none. Handshakes are done by another, and reviews by others again: in each
 * of the two, addresses take {@code Turns}, and nothing is done for who has been closed.
 *
 * <p>Why Netty, as in {@code process}: Jetty's connection limit lets newcomers wait, and its idle
 * timeout starts again with every byte.
 */
@NullMarked
package io.gpudra.controller.webhook.server;

import org.jspecify.annotations.NullMarked;
