/**
 * The scheduling gate of pods whose claims are allocated before the scheduler sees them. Start at
 * {@code GateName}.
 *
 * <p>What must stay true: this package knows no GPU and no client of the API server.
 */
@NullMarked
package io.gpudra.controller.gate;

import org.jspecify.annotations.NullMarked;
