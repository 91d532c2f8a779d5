package io.gpudra.controller.allocation.ledger;

import com.google.common.collect.ImmutableSortedMap;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;

/** One device in the grants of several claims in the API. */
public record DoubleGrant(
    String node, String deviceUuid, ImmutableSortedMap<ClaimUid, ClaimRef> claims) {}
