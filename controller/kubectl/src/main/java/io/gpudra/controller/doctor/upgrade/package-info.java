/**
 * Finds the steps before the API server of 1.27 to 1.30 is replaced by a later one, and the remains
 * of skipped steps after that. Start at {@code UpgradeChecks} and {@code LeftoverChecks}, which
 * have the rules; {@code UpgradeCollector} collects the state.
 *
 * <p>What must stay true: nothing is written; objects of other drivers count, because one stored
 * object of {@code v1alpha2} is enough to break a later server; an object that may not be read is
 * reported as such.
 */
@NullMarked
package io.gpudra.controller.doctor.upgrade;

import org.jspecify.annotations.NullMarked;
