/**
 * What is wrong with manifests, without a cluster: start at {@link io.gpudra.controller.lint.Lint},
 * which takes texts and gives findings with their places.
 *
 * <p>{@code lint.text} reads a text, {@code lint.object} looks at an object by itself, {@code
 * ClaimCheck} and {@code PodCheck} at what objects say of each other, with the driver's own checks.
 *
 * <p>What must stay true: what is not in the texts is not guessed; findings of a text are bounded.
 * No file is opened here.
 */
@NullMarked
package io.gpudra.controller.lint;

import org.jspecify.annotations.NullMarked;
