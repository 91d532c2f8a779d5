/**
 * Computes the usage of a GPU, and whether another part fits. The controller that allocates and the
 * plugin that prepares share this code.
 *
 * <p>Start at {@code GpuUsage}. {@code PartNesting} has the nesting of parts, {@code MigPacking}
 * decides which MIG devices can coexist, {@code SharePacking} which shares can, {@code
 * RemainingCapacity} whether anything is left.
 *
 * <p>What must stay true: a usage is a function of the set of parts, in any order. Parts that
 * claims hold never overlap and never sum up to more than there is; otherwise the usage is overfull
 * and nothing more fits. No device, no clock, no Kubernetes.
 */
@NullMarked
package io.gpudra.crds.usage;

import org.jspecify.annotations.NullMarked;
