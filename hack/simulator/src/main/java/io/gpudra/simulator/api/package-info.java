/**
 * The operations of a Kubernetes API server, as the other doubles use them in process. {@link
 * io.gpudra.simulator.api.Api} is what HTTP clients reach too; an HTTP layer adds nothing but the
 * wire.
 */
@NullMarked
package io.gpudra.simulator.api;

import org.jspecify.annotations.NullMarked;
