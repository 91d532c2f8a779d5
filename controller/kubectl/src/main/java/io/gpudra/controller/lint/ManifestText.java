package io.gpudra.controller.lint;

/**
 * A text to look at.
 *
 * @param name as findings show it, such as the path of a file
 */
public record ManifestText(String name, String text) {}
