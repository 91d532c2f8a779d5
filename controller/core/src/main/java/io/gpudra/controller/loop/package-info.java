/**
 * A work loop: keys in, one reconcile per key at a time, retries with back-off. Plain Java; start
 * at {@code WorkLoop}. {@code ControllerDelays} has the delays of the whole controller.
 *
 * <p>What must stay true: no key is ever dropped, one key is never processed by two workers at
 * once, and the only catch-all of the controller is the one at the top of the loop.
 */
@NullMarked
package io.gpudra.controller.loop;

import org.jspecify.annotations.NullMarked;
