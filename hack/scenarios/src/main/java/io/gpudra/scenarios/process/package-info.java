/**
 * Starts the shipped binaries with {@code java -jar} and always stops them again: {@link
 * io.gpudra.scenarios.process.Children}.
 */
@NullMarked
package io.gpudra.scenarios.process;

import org.jspecify.annotations.NullMarked;
