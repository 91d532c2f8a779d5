/**
 * Simulates the components of Kubernetes that the driver uses. Does not depend on the driver, since
 * a simulator must not share code with the code that it tests.
 */
@NullMarked
package io.gpudra.simulator;

import org.jspecify.annotations.NullMarked;
