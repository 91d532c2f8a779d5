/**
 * The operations of a Kubernetes API server, which the other simulated components call in process.
 * HTTP clients use the same {@link io.gpudra.simulator.api.Api} through the HTTP layer.
 */
@NullMarked
package io.gpudra.simulator.api;

import org.jspecify.annotations.NullMarked;
