package io.gpudra.controller.manifest;

/**
 * One object of a file.
 *
 * @param where such as {@code pods.yaml, document 2}
 * @param json an object that is not validated yet
 */
public record ManifestDocument(String where, String json) {}
