/**
 * What people write: {@link io.gpudra.crds.api.parameters.GpuClaimParameters} and {@link
 * io.gpudra.crds.api.parameters.GpuClassParameters}, what refers to them, and the rules between
 * their fields. Start at {@code problems()} of one of them.
 *
 * <p>What must stay true: {@code problems()} says what is wrong with an object, field by field, and
 * never throws; no node and no inventory is looked at. The rules ({@code ClaimRules}, {@code
 * RequestRules}, {@code SharingRules}, {@code ClassRules}) are those of the schema, once more in
 * Java; {@code ClaimInClass} has those that need the class. Every list is looked at only as far as
 * the schema lets it be long.
 */
@NullMarked
package io.gpudra.crds.api.parameters;

import org.jspecify.annotations.NullMarked;
