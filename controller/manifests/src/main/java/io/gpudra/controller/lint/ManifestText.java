package io.gpudra.controller.lint;

/**
 * A manifest to check.
 *
 * @param name the name in findings, such as the path of a file
 */
public record ManifestText(String name, String text) {}
