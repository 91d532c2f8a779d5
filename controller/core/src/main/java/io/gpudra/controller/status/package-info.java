/**
 * What is found out of parameters and written into their status, so that their author need not wait
 * for a pod. Start at {@code ParametersLoop}; what is written is decided by {@code
 * ParametersJudge}, a pure function of a spec and the {@code Fleet}.
 *
 * <p>What must stay true: only the leader writes, and only what differs; an edit is judged at once,
 * a change of the nodes at most once a minute; so many calls in a second, and a tenth of a
 * processor for judging, however many objects there are and whatever is in them; texts have a
 * longest length. Decides nothing about claims.
 */
@NullMarked
package io.gpudra.controller.status;

import org.jspecify.annotations.NullMarked;
