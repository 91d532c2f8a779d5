/**
 * Why a pod or a claim waits, or what it has. Start at {@code Explain}; it makes an {@code
 * Explained}, of which {@code Sentences} makes the text that commands and the page show.
 *
 * <p>What must stay true: whether a claim fits is asked of the controller's own code, and its
 * reasons are shown as they are; who waits before whom is the order of {@code dra.waiting}; nothing
 * here is a guess: what cannot be told from what the caller may read is said to be so.
 */
@NullMarked
package io.gpudra.controller.view.explain;

import org.jspecify.annotations.NullMarked;
