/**
 * Explains why a pod or a claim waits, or which devices it has. Start at {@code ClusterExplainer},
 * which returns an {@code ExplainResult}; {@code ExplainSentences} is its text for commands and the
 * page.
 *
 * <p>What must stay true: the controller's own code decides whether a claim fits, and its reasons
 * are shown unchanged; the queue has the order of {@code dra.queue}; nothing is guessed: the text
 * states if the caller may not read enough to know.
 */
@NullMarked
package io.gpudra.controller.view.explain;

import org.jspecify.annotations.NullMarked;
