/**
 * Sources of the objects of a snapshot: the API server itself, or watch caches for repeated
 * snapshots. Start at {@code ObjectSource}.
 *
 * <p>What must stay true: both return the same objects, and both refuse kinds that the caller may
 * not read in the same way.
 */
@NullMarked
package io.gpudra.controller.kube.source;

import org.jspecify.annotations.NullMarked;
