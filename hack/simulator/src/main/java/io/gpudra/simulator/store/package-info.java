/**
 * Stores versioned objects with a bounded history, independent of their kinds. Start at {@link
 * io.gpudra.simulator.store.Store}. Stored objects are never changed in place.
 */
@NullMarked
package io.gpudra.simulator.store;

import org.jspecify.annotations.NullMarked;
