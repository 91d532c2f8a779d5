/**
 * Why the driver as a whole does not work, and the command that mends it. Start at {@code Doctor},
 * which knows the rules; {@code Examination} reads what they need, and {@code Complaint} names what
 * there may be.
 *
 * <p>What must stay true: nothing is written but access reviews; what could not be looked at is
 * said, and is no complaint; contradictions of claims and inventories are {@code check}'s to find,
 * and the command tells them beside what is found here.
 */
@NullMarked
package io.gpudra.controller.doctor;

import org.jspecify.annotations.NullMarked;
