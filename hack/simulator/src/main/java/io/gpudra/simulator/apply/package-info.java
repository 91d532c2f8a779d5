/** Ways to change an object by a patch, and who owns its fields. All of it is pure. */
@NullMarked
package io.gpudra.simulator.apply;

import org.jspecify.annotations.NullMarked;
