/**
 * Kubernetes objects → facts. Start at {@code ResourceKinds}, which lists the kinds, the fields
 * that are read and the mappings. Uses no calls and no caches.
 *
 * <p>What must stay true: of objects that tenants write, only the fields in {@code ResourceKinds}
 * are read and only facts of bounded size are kept; mappings are total: missing or invalid fields
 * get a safe value.
 */
@NullMarked
package io.gpudra.controller.kube.mapping;

import org.jspecify.annotations.NullMarked;
