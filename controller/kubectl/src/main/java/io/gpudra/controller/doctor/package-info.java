/**
 * Finds problems of the installation, and the command that fixes each. Start at {@code Doctor},
 * which has the rules; {@code InstallationCollector} collects the state, {@code ProblemKind} lists
 * the kinds of problems.
 *
 * <p>What must stay true: nothing is written except access reviews; a check that is not possible is
 * reported as such and not as a problem; inconsistent claims and inventories are found by {@code
 * check}, and the command prints these findings, too.
 */
@NullMarked
package io.gpudra.controller.doctor;

import org.jspecify.annotations.NullMarked;
