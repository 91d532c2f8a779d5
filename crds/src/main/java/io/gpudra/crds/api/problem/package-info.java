/**
 * What is wrong with an object, in the words of the API server: start at {@link
 * io.gpudra.crds.api.problem.Problems}. {@link io.gpudra.crds.api.problem.Suggestion} is for names
 * that nobody knows.
 *
 * <p>What must stay true: every sentence begins with the path of a field; values of strangers are
 * shortened and the sentences are counted, so that no object makes a text of any length. Which
 * objects there are is not known here.
 */
@NullMarked
package io.gpudra.crds.api.problem;

import org.jspecify.annotations.NullMarked;
