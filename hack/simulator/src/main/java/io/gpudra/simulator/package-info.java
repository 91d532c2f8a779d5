/**
 * Doubles of the parts of Kubernetes the driver talks to. Depends on nothing of the driver: a
 * double must not share code with what it judges.
 */
@NullMarked
package io.gpudra.simulator;

import org.jspecify.annotations.NullMarked;
