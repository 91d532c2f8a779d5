package io.gpudra.controller.dra.queue;

/**
 * When unsuitable nodes were published for a pod, and which nodes may be published now.
 *
 * @param lately whether something was published within a second
 * @param sinceLastAttempt whether something was published within the scheduler's longest back-off
 * @param mayPublishSuitable whether suitable nodes may be published; doing so for all pods at once
 *     would make them race for the same devices
 */
public record PublishHistory(
    boolean lately, boolean sinceLastAttempt, boolean mayPublishSuitable) {}
