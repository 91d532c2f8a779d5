/**
 * The custom resources of group {@code gpu.resource.example.com/v1alpha1} as records. The YAML in
 * {@code crds/} is the source; a test walks schema and records both ways.
 *
 * <p>What the API server stores is not trusted: fields may be missing or of an older schema, so
 * {@code problems()} says what is wrong with an object, field by field, and never throws. The rules
 * between fields of parameters ({@code ClaimRules}, {@code RequestRules}, {@code SharingRules},
 * {@code ClassRules}) are those of the schema, once more in Java; {@code ClaimInClass} has those
 * that need the class. Every list is looked at only as far as the schema lets it be long. Read by
 * Gson (client-java) and Jackson alike.
 */
@NullMarked
package io.gpudra.crds.api;

import org.jspecify.annotations.NullMarked;
