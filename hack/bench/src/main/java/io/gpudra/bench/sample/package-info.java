/** Sample objects of a cluster for several benchmarks. */
@NullMarked
package io.gpudra.bench.sample;

import org.jspecify.annotations.NullMarked;
