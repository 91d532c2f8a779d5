/**
 * Why something cannot be allocated. {@code UnsuitableReason} is the one value for it, and its
 * {@code Kind} lists every reason; {@code StatedReason} is one with a short text.
 *
 * <p>What must stay true: a reason costs no text until it is read; it never names claims of
 * namespaces other than the reader's.
 */
@NullMarked
package io.gpudra.controller.reason;

import org.jspecify.annotations.NullMarked;
