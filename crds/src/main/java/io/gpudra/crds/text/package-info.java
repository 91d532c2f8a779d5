/**
 * Texts, whatever they mean: start at {@link io.gpudra.crds.text.RepeatedTexts}, by which what is
 * read from Kubernetes objects and from handles shares its memory. {@code UtcTimes} reads times.
 */
@NullMarked
package io.gpudra.crds.text;

import org.jspecify.annotations.NullMarked;
