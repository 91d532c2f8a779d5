/**
 * Evicts pods from tainted GPUs and MIG devices. Start at {@code Evictor}, which runs every second;
 * {@code EvictionRules} decide on its facts.
 *
 * <p>What must stay true: only a leader evicts, at most one pod a second and each pod once; the
 * last report of a silent plugin evicts no pod; a pod whose tolerations cannot be read stays.
 */
@NullMarked
package io.gpudra.controller.eviction;

import org.jspecify.annotations.NullMarked;
