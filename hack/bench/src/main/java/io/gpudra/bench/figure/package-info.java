/** What measuring yields: {@link io.gpudra.bench.figure.Figure}s, told by a {@code Report}. */
@NullMarked
package io.gpudra.bench.figure;

import org.jspecify.annotations.NullMarked;
