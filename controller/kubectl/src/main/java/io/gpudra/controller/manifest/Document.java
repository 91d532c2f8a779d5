package io.gpudra.controller.manifest;

/**
 * One object as it was found.
 *
 * @param where such as {@code pods.yaml, document 2}
 * @param json an object; what is wrong with it is found later
 */
public record Document(String where, String json) {}
