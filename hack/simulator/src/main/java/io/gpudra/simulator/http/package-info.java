/**
 * The wire: URLs, content types, watches, tables, discovery, and the faults a test may order. Start
 * at {@link io.gpudra.simulator.http.HttpApi}.
 */
@NullMarked
package io.gpudra.simulator.http;

import org.jspecify.annotations.NullMarked;
