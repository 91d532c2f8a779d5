/**
 * Checks manifests without a cluster. Start at {@link io.gpudra.controller.lint.ManifestLinter},
 * which checks texts and returns findings with their places.
 *
 * <p>{@code lint.yaml} parses a text, {@code lint.object} checks an object by itself, {@code
 * ClaimCheck} and {@code PodCheck} check references between objects with the driver's own rules.
 *
 * <p>What must stay true: nothing is assumed about objects that are not in the texts; the number of
 * findings is limited; no file is opened here.
 */
@NullMarked
package io.gpudra.controller.lint;

import org.jspecify.annotations.NullMarked;
