/**
 * Who is looked at when: {@link io.gpudra.controller.dra.waiting.WakeUps} turns what happened into
 * keys, {@code Waiters} keeps those who wait for devices in order of age, {@code Offers} wakes the
 * oldest of them when devices become free.
 *
 * <p>What must stay true: nothing freed is missed; what freed devices cost does not grow with the
 * number of those who wait.
 */
@NullMarked
package io.gpudra.controller.dra.waiting;

import org.jspecify.annotations.NullMarked;
