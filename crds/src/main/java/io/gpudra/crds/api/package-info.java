/**
 * The custom resources of group {@code gpu.resource.example.com/v1alpha1} as records. Here is what
 * plugins write, {@link io.gpudra.crds.api.NodeInventory}; what people write is in {@code
 * parameters}, and {@code problem} says what is wrong with an object. The YAML in {@code crds/} is
 * the source; a test walks schema and records both ways.
 *
 * <p>What must stay true: what the API server stores is not trusted, fields may be missing or of an
 * older schema; Gson (client-java) and Jackson read the same; neither writer's resources know the
 * other's.
 */
@NullMarked
package io.gpudra.crds.api;

import org.jspecify.annotations.NullMarked;
