/** Results of measurements: {@link io.gpudra.bench.figure.Figure}s in a {@code Report}. */
@NullMarked
package io.gpudra.bench.figure;

import org.jspecify.annotations.NullMarked;
