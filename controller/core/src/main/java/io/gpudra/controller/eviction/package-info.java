/**
 * Pods that must leave tainted GPUs and MIG devices. Start at {@code Evictor}, which looks every
 * second; {@code EvictionRules} decide from what it saw.
 *
 * <p>What must stay true: only a leader evicts, at most one pod a second and each pod once; what a
 * silent plugin said last is no reason; a pod whose tolerations cannot be read stays.
 */
@NullMarked
package io.gpudra.controller.eviction;

import org.jspecify.annotations.NullMarked;
