package io.gpudra.controller.dra;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;

/**
 * Our entries of a scheduling context's status.
 *
 * @param unsuitableNodes by pod claim name: at most 128 nodes, without duplicates, the selected
 *     node first if it is there; an empty list says that every node is suitable
 */
public record StatusPatch(ImmutableSortedMap<String, ImmutableList<String>> unsuitableNodes) {}
