package io.gpudra.crds.api.problem;

import java.util.function.Predicate;

/**
 * What fields of an object must not say together. Text and meaning are those of the rule in the
 * schema.
 *
 * @param broken whether a value breaks it
 * @param text what its author is told
 */
public record Rule<T>(Predicate<T> broken, String text) {}
