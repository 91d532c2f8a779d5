/**
 * Common classes of the simulated Kubernetes controllers: {@link io.gpudra.simulator.actor.Actor}
 * works in steps, {@link io.gpudra.simulator.actor.ActorThread} drives it by the wall clock, {@link
 * io.gpudra.simulator.actor.KeyedLoop} gives it a queue, {@link io.gpudra.simulator.actor.Mirror} a
 * cache. Time and chance are constructor arguments, so the same actors run seeded on one thread.
 */
@NullMarked
package io.gpudra.simulator.actor;

import org.jspecify.annotations.NullMarked;
