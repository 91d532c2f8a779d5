package io.gpudra.controller.allocation.request;

import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;

/** A claim out of whose devices those of another claim are carved. */
public record Parent(ClaimUid uid, ClaimRef ref) {}
