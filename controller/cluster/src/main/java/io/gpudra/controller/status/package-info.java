/**
 * Evaluates parameters and writes the result into their status, so that their author need not wait
 * for a pod. Start at {@code ParametersLoop}; {@code ParametersEvaluator} decides on the status, as
 * a pure function of a spec and the {@code GpuNodes}.
 *
 * <p>What must stay true: only the leader writes, and only differences; an edit is evaluated at
 * once, a change of the nodes at most once a minute; the rate of calls is limited, and so is the
 * evaluation to a tenth of a processor, regardless of the number and content of objects; texts have
 * a maximum length. It decides nothing about claims.
 */
@NullMarked
package io.gpudra.controller.status;

import org.jspecify.annotations.NullMarked;
