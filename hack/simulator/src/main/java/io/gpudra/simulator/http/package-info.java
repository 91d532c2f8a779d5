/**
 * The HTTP layer: URLs, content types, watches, tables, discovery, and fault injection. Start at
 * {@link io.gpudra.simulator.http.HttpApi}.
 */
@NullMarked
package io.gpudra.simulator.http;

import org.jspecify.annotations.NullMarked;
