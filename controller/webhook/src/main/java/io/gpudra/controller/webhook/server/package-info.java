/**
 * HTTPS server for the API servers' requests, with HTTP/1.1 and persistent connections. Start at
 * {@code ReviewPort}.
 *
 * <p>What must stay true: every pod of the cluster may reach the port, so no client may block
 * others. {@code ClientConnections} has the limits: of connections, of the time in each state, and
 * of the bytes of incomplete requests. New connections never wait; instead a connection of the
 * address with the most connections, or the largest request, is closed. One thread serves all
 * clients and never blocks. Handshakes have a thread, and reviews have others. For both, client
 * addresses take {@code FairExecutor}, and tasks of closed connections are dropped.
 *
 * <p>Why Netty, as in {@code process}: with Jetty's connection limit new connections wait, and its
 * idle timeout restarts with every byte.
 */
@NullMarked
package io.gpudra.controller.webhook.server;

import org.jspecify.annotations.NullMarked;
