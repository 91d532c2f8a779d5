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
 * A claim that has all or a part of a tainted GPU, and its pods.
 *
 * @param gpu the GPU's name
 * @param taints that evict now, and since when each is there
 */
record GpuUse(
    ClaimRef ref,
    ClaimUid claim,
    ImmutableList<PodRef> pods,
    ImmutableList<Toleration> tolerations,
    String gpu,
    ImmutableMap<DeviceTaint, Instant> taints) {}
