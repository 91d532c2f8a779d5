package io.gpudra.controller.eviction;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.PodRef;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Toleration;
import java.time.Instant;

/**
 * A claim that has all or a part of a tainted GPU, or a tainted MIG device, and its pods.
 *
 * @param device the name of the GPU or the MIG device
 * @param taints that evict now, and since when each is there
 */
record GpuUse(
    ClaimRef ref,
    ClaimUid claim,
    ImmutableList<PodRef> pods,
    ImmutableList<Toleration> tolerations,
    String device,
    ImmutableMap<DeviceTaint, Instant> taints) {}
