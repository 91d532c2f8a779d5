package io.gpudra.crds.api.problem;

import java.util.function.Predicate;

/**
 * A combination of fields that is not allowed. Text and meaning are those of the rule in the
 * schema.
 *
 * @param broken whether a value breaks the rule
 * @param text the message for the author
 */
public record FieldRule<T>(Predicate<T> broken, String text) {}
