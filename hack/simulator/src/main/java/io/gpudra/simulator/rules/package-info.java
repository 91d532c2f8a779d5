/**
 * What each built-in kind and a custom resource demands of its objects, with the texts of a real
 * 1.30.
 */
@NullMarked
package io.gpudra.simulator.rules;

import org.jspecify.annotations.NullMarked;
