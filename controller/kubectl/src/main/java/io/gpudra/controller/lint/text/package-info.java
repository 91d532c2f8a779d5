/**
 * YAML and JSON as values with their places: start at {@link
 * io.gpudra.controller.lint.text.YamlDocuments}. A scalar is what kubectl makes of it.
 *
 * <p>What must stay true: no text makes an exception; its documents, its values and how deep they
 * are have a budget, in which a value counts each time that an alias repeats it.
 */
@NullMarked
package io.gpudra.controller.lint.text;

import org.jspecify.annotations.NullMarked;
