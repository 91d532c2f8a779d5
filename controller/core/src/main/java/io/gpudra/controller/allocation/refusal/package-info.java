/**
 * The reasons that keep a claim from a node. {@code NodeFilters} finds those that do not depend on
 * free devices. A {@code NodeRefusal} keeps its data and builds its text only for a reader.
 *
 * <p>What must stay true: a refusal costs no text until it is read; it never names claims of
 * namespaces other than the reader's.
 */
@NullMarked
package io.gpudra.controller.allocation.refusal;

import org.jspecify.annotations.NullMarked;
