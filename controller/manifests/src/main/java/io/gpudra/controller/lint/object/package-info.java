/**
 * Checks one object by itself. Start at {@link io.gpudra.controller.lint.object.ObjectCheck}.
 * {@code LintKind} lists the kinds; {@code ResourceApi} recognizes other versions of Kubernetes'
 * API.
 *
 * <p>{@code StructuralCheck} validates an object with the schema of its CRD, or with {@code
 * kubernetes.yaml} for Kubernetes' own kinds. Rules and conditions are those of {@code crds.api}
 * and {@code gpu}; rules that the schema also has use its messages.
 *
 * <p>What must stay true: no rule of the schema or the driver is repeated here; values from files
 * are shortened, and problems after the first fifty are only counted.
 */
@NullMarked
package io.gpudra.controller.lint.object;

import org.jspecify.annotations.NullMarked;
