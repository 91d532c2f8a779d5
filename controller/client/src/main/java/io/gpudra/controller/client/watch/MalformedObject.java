package io.gpudra.controller.client.watch;

/**
 * An object that was skipped because it could not be read.
 *
 * @param namespace empty for cluster-scoped objects
 * @param problem the problem, for users
 */
public record MalformedObject(
    String apiVersion, String kind, String namespace, String name, String uid, String problem) {}
