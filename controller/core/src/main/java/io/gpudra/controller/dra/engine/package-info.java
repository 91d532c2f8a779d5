/**
 * The protocol put together for one driver: {@link io.gpudra.controller.dra.engine.Engine}. It sees
 * all rooms, and none of them sees it.
 *
 * <p>What must stay true: the takeover runs before any loop.
 */
@NullMarked
package io.gpudra.controller.dra.engine;

import org.jspecify.annotations.NullMarked;
