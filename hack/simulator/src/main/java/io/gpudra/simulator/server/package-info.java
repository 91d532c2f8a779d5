/**
 * Reads and writes of objects by the rules of their kinds, garbage collection and the life of
 * namespaces. Start at {@link io.gpudra.simulator.server.ObjectServer}.
 */
@NullMarked
package io.gpudra.simulator.server;

import org.jspecify.annotations.NullMarked;
