/**
 * The GPU driver behind the protocol's seam: parameters → request → placement → handle. Start at
 * {@code GpuDriver}.
 *
 * <p>Compiles CEL conditions once per expression and judges devices with them; all holding is done
 * by {@code allocation}.
 */
@NullMarked
package io.gpudra.controller.gpu;

import org.jspecify.annotations.NullMarked;
