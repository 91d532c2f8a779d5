package io.gpudra.simulator.kinds;

/**
 * How a kind differs from others in ways that every verb must know.
 *
 * @param namespaced whether its objects live in namespaces
 * @param status whether there is a status subresource
 * @param generation whether {@code metadata.generation} counts changes of the spec
 * @param putCreates whether a PUT to a missing object creates it
 * @param putNeedsRevision whether a PUT must carry a resourceVersion
 * @param deleteAnswersObject whether a DELETE that is done at once answers the object rather than a
 *     Status
 */
public record Traits(
    boolean namespaced,
    boolean status,
    boolean generation,
    boolean putCreates,
    boolean putNeedsRevision,
    boolean deleteAnswersObject) {}
