package io.gpudra.kubeletplugin.prepare;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.usage.Conflict;

/**
 * Why parts of a GPU cannot be had now.
 *
 * @param claims those that must give something back; none when what is in the way belongs to no
 *     claim
 */
record Obstruction(Conflict why, ImmutableSet<ClaimUid> claims) {}
