/**
 * Assembles the protocol for one driver: {@link io.gpudra.controller.dra.engine.ProtocolEngine}. It
 * uses all other packages, and none of them uses it.
 *
 * <p>What must stay true: the takeover runs before any loop.
 */
@NullMarked
package io.gpudra.controller.dra.engine;

import org.jspecify.annotations.NullMarked;
