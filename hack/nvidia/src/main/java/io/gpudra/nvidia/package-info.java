/**
 * Runs NVIDIA's own libraries without a GPU. Start at {@link io.gpudra.nvidia.EmulatedKernel}. The
 * emulated kernel module is written in C, beside these classes, and preloaded into the process that
 * loads a library.
 *
 * <p>What must stay true: the emulation behaves like the module's public source; its state is kept
 * in a file below its root, so that all processes see the same GPUs. No NVIDIA files are part of
 * the project: {@code hack/nvidia/fetch} downloads them into a cache, or reports why it cannot.
 */
@NullMarked
package io.gpudra.nvidia;

import org.jspecify.annotations.NullMarked;
