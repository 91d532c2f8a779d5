package io.gpudra.crds.model;

import com.google.common.collect.ImmutableList;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * The devices of a claim: decided by the controller, carried by the handle, prepared by the plugin.
 *
 * @param claim the only claim for which the grant is valid
 * @param node name of the node that has the devices
 * @param epoch lease transitions of the leader that decided; for audit only
 * @param generation generation of the GpuClaimParameters that were used, absent without parameters
 * @param at time of the decision; for audit only
 * @param devices in the order of their index
 */
public record Grant(
    ClaimUid claim,
    String node,
    long epoch,
    OptionalLong generation,
    Instant at,
    ImmutableList<GrantedDevice> devices) {}
