package io.gpudra.crds.usage;

import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;

/** A part and whose it is. */
public record Holding(ClaimUid claim, GrantedPart part) {}
