/**
 * Benchmarks of the shipped binaries, which are started with the JVM flags of their images and
 * measured from outside: {@link io.gpudra.bench.process.Binary}.
 */
@NullMarked
package io.gpudra.bench.process;

import org.jspecify.annotations.NullMarked;
