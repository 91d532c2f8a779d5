package io.gpudra.kubeletplugin.prepare;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.usage.PartConflict;

/**
 * Why parts of a GPU cannot be had now.
 *
 * @param claims those that must give something back; none when what is in the way belongs to no
 *     claim
 */
record DeviceConflict(PartConflict why, ImmutableSet<ClaimUid> claims) {}
