/**
 * What is taken of a GPU, and whether a part fits beside it. The controller that grants and the
 * plugin that prepares run the same lines.
 *
 * <p>Start at {@code Usage}. {@code Nesting} says which parts are carved out of which, {@code
 * Slices} which MIG devices can be together, {@code Shares} which shares can.
 *
 * <p>What must stay true: a usage is a function of the set of parts, whatever order they came in;
 * parts that claims hold never overlap and never sum up to more than there is, or the usage is
 * overfull and takes nothing more. No device, no clock, no Kubernetes.
 */
@NullMarked
package io.gpudra.crds.usage;

import org.jspecify.annotations.NullMarked;
