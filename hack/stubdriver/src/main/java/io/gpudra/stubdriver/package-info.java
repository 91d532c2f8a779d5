/**
 * A stub of NVIDIA's driver for tests without GPUs. Start at {@link
 * io.gpudra.stubdriver.StubDriver}. Its management library and its programs are C files in the
 * resources, which the C compiler of the machine compiles.
 *
 * <p>What must stay true: it behaves like a real driver (nvidia.md), including errors and
 * peculiarities; its state is kept in a file beside the library, so that all processes see the same
 * GPUs.
 */
@NullMarked
package io.gpudra.stubdriver;

import org.jspecify.annotations.NullMarked;
