package io.gpudra.crds.model;

import com.google.common.collect.ImmutableSet;
import java.time.Instant;
import java.util.Optional;

/**
 * A claim that a node holds devices for, from the moment preparation is intended until it is undone
 * or unprepared.
 *
 * @param deviceUuids UUIDs of the held GPUs
 * @param orphanedSince set when the claim's API object is gone while the node still holds its
 *     devices
 */
public record PreparedClaim(
    ClaimUid uid,
    ClaimRef ref,
    ImmutableSet<String> deviceUuids,
    Optional<Instant> orphanedSince) {}
