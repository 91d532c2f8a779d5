package io.gpudra.kubeletplugin.prepare;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.usage.PartConflict;

/**
 * The reason why parts of a GPU are not available now.
 *
 * @param claims the claims that must release something; empty when no claim holds the conflicting
 *     device
 */
record DeviceConflict(PartConflict why, ImmutableSet<ClaimUid> claims) {}
