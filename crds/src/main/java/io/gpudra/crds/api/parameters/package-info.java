/**
 * The resources of users: {@link io.gpudra.crds.api.parameters.GpuClaimParameters} and {@link
 * io.gpudra.crds.api.parameters.GpuClassParameters}, the references to them, and the rules between
 * their fields. Start at {@code problems()} of one of them.
 *
 * <p>What must stay true: {@code problems()} reports the problems of an object, field by field, and
 * never throws. It reads no node and no inventory. The rules ({@code ClaimSpecRules}, {@code
 * RequestRules}, {@code SharingRules}, {@code ClassSpecRules}) are those of the schema, repeated in
 * Java; {@code ClaimInClass} has those that need the class. Of every list, no more is read than the
 * schema allows.
 */
@NullMarked
package io.gpudra.crds.api.parameters;

import org.jspecify.annotations.NullMarked;
