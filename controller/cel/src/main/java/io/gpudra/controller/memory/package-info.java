/**
 * Limits the memory that tenants can occupy. A number of entries is no limit if a tenant can choose
 * their size. So all remembered data of tenants has a limit in bytes in {@code MemoryBudget}, a
 * share of the heap. Answers to requests are kept in {@code BoundedCache}, which drops an answer
 * with its last asker.
 *
 * <p>A tenant or node can also choose thousands of values with one hash, each of which a hash table
 * would compare with all others. {@code HashBoundInterner} and {@code HashBoundCache} keep few of
 * one hash; {@code SaltedText} has a hash that cannot be foreseen.
 *
 * <p>What must stay true: entries are weighed only when they are added or have grown, not when they
 * are found; a lost entry costs time and changes no answer.
 */
@NullMarked
package io.gpudra.controller.memory;

import org.jspecify.annotations.NullMarked;
