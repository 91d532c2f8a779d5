package io.gpudra.kubeletplugin.device.mps;

import com.google.common.collect.ImmutableSortedMap;
import java.util.OptionalInt;

/**
 * A server through which processes of several containers use the same devices at the same time.
 *
 * @param name of the first of its devices; a device has one server at a time
 * @param pinnedMemory UUIDs of its GPUs or MIG devices, each with the bytes that a client may pin
 *     on it; 0 for no limit
 * @param threads percentage that a client may use; absent for no limit
 */
public record MpsServer(
    String name, ImmutableSortedMap<String, Long> pinnedMemory, OptionalInt threads) {}
