/** Made-up parts of a cluster that several benchmarks use. */
@NullMarked
package io.gpudra.bench.sample;

import org.jspecify.annotations.NullMarked;
