/**
 * Starts the shipped binaries as a person would, with {@code java -jar}, and gets rid of them again
 * whatever happens: {@link io.gpudra.scenarios.process.Children}.
 */
@NullMarked
package io.gpudra.scenarios.process;

import org.jspecify.annotations.NullMarked;
