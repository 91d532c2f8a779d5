/**
 * Reports the problems of an object in the words of the API server: start at {@link
 * io.gpudra.crds.api.problem.ProblemList}. {@link io.gpudra.crds.api.problem.NameSuggestion} is for
 * unknown names.
 *
 * <p>What must stay true: every sentence begins with the path of a field. Untrusted values are
 * shortened and the sentences are counted, so that no object produces an unbounded text. The
 * package does not know the kinds of objects.
 */
@NullMarked
package io.gpudra.crds.api.problem;

import org.jspecify.annotations.NullMarked;
