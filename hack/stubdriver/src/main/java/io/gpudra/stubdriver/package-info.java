/**
 * A driver of GPUs that are not there, to try on what is written for NVIDIA's: start at {@link
 * io.gpudra.stubdriver.StubDriver}. Its management library and its programs are in C, beside these
 * classes among the resources, and made by the C compiler of the machine.
 *
 * <p>What must stay true: it answers as a real driver does (nvidia.md), refusals and oddities too;
 * what it is asked to change is kept in a file beside the library, so that all processes see the
 * same GPUs.
 */
@NullMarked
package io.gpudra.stubdriver;

import org.jspecify.annotations.NullMarked;
