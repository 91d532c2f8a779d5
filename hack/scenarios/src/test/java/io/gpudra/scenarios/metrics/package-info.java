/**
 * What a page of metrics has, and what the table says that it has. Start at {@code Exposed}.
 *
 * <p>What must stay true: a page is read as Prometheus reads it, without code of those who wrote
 * it.
 */
@NullMarked
package io.gpudra.scenarios.metrics;

import org.jspecify.annotations.NullMarked;
