/**
 * NVIDIA's own libraries without a GPU: start at {@link io.gpudra.nvidia.EmulatedKernel}. What
 * stands in for the kernel module is in C, beside these classes, and is preloaded into the process
 * that loads such a library.
 *
 * <p>What must stay true: the kernel answers as the module's public source does; what it is asked
 * to change is kept in a file below its root, so that all processes see the same GPUs. Nothing of
 * NVIDIA's is part of the project: {@code hack/nvidia/fetch} brings it into a cache, or says why it
 * cannot.
 */
@NullMarked
package io.gpudra.nvidia;

import org.jspecify.annotations.NullMarked;
