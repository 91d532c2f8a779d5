/**
 * Benchmarks of pure code, run by JMH with the JVM flags of the controller's image: {@link
 * io.gpudra.bench.micro.MicroBenchmark}. Their classes are public because JMH generates code that
 * calls them.
 */
@NullMarked
package io.gpudra.bench.micro;

import org.jspecify.annotations.NullMarked;
