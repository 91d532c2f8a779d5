/**
 * Parses YAML and JSON into values with their places. Start at {@link
 * io.gpudra.controller.lint.yaml.YamlDocuments}. Scalars are parsed as by kubectl.
 *
 * <p>What must stay true: no text causes an exception; the number of documents, the number of
 * values and their depth are limited, and a value counts each time that an alias repeats it.
 */
@NullMarked
package io.gpudra.controller.lint.yaml;

import org.jspecify.annotations.NullMarked;
