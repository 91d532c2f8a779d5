/**
 * Why a claim cannot have a node. {@code Cause} lists every reason; a {@code Refusal} keeps what it
 * needs as data and is made into text when somebody reads it, for that reader.
 *
 * <p>What must stay true: a refusal costs no text until it is read; it names claims of other
 * namespaces to nobody.
 */
@NullMarked
package io.gpudra.controller.allocation.refusal;

import org.jspecify.annotations.NullMarked;
