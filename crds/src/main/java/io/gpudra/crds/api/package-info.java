/**
 * The custom resources of group {@code gpu.resource.example.com/v1alpha1} as records. The resource
 * of plugins is {@link io.gpudra.crds.api.NodeInventory}. The resources of users are in {@code
 * parameters}, and {@code problem} reports the problems of an object. The YAML in {@code crds/} is
 * the source; a test compares schema and records both ways.
 *
 * <p>What must stay true: stored objects are not trusted, and fields may be missing or of an older
 * schema. Gson (client-java) and Jackson read the same values. The resources of one writer do not
 * know those of the other.
 */
@NullMarked
package io.gpudra.crds.api;

import org.jspecify.annotations.NullMarked;
