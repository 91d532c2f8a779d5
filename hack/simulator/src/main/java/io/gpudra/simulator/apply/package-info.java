/** Patch formats and field ownership. All of it is pure. */
@NullMarked
package io.gpudra.simulator.apply;

import org.jspecify.annotations.NullMarked;
