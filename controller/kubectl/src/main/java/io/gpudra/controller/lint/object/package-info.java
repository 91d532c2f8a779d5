/**
 * What is wrong with one object by itself: start at {@link
 * io.gpudra.controller.lint.object.ObjectCheck}. Which kinds there are is in {@code Kind}; {@code
 * ResourceApi} knows objects of other versions of Kubernetes' API.
 *
 * <p>{@code StructuralCheck} holds an object against the schema of its CRD, or of {@code
 * kubernetes.yaml} for what of Kubernetes' own kinds is looked at. Rules and conditions are those
 * of {@code crds.api} and {@code gpu}; a rule that the schema has too is told in its words.
 *
 * <p>What must stay true: no rule is written here that the schema or the driver has; values of
 * strangers are shortened, and what is wrong is counted after the first fifty.
 */
@NullMarked
package io.gpudra.controller.lint.object;

import org.jspecify.annotations.NullMarked;
