/**
 * Kubernetes objects → facts: start at {@code Kinds}, which names what is read of each and what is
 * kept. Depends on no call and no cache.
 *
 * <p>What must stay true: of what a tenant can write only what {@code Kinds} names is read, and
 * only facts of bounded size are kept; a mapping is total, what is absent or odd has a harmless
 * reading.
 */
@NullMarked
package io.gpudra.controller.kube.mapping;

import org.jspecify.annotations.NullMarked;
