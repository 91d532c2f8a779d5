package io.gpudra.kubeletplugin.device;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import java.util.List;

/**
 * The hardware of all fake nodes of a cluster, so that one DaemonSet can serve different nodes.
 *
 * @param exceptions by node name
 */
public record FakeNodeProfiles(
    FakeNodeProfile usual, ImmutableMap<String, FakeNodeProfile> exceptions) {

  /**
   * Reads {@code PROFILE} or {@code PROFILE,NODE=PROFILE,...}.
   *
   * @throws IllegalArgumentException naming the allowed values
   */
  public static FakeNodeProfiles parse(String text) {
    List<String> parts = Splitter.on(',').splitToList(text);
    ImmutableMap.Builder<String, FakeNodeProfile> exceptions = ImmutableMap.builder();
    for (String part : parts.subList(1, parts.size())) {
      int equals = part.indexOf('=');
      if (equals <= 0) {
        throw new IllegalArgumentException("\"%s\" is not NODE=PROFILE".formatted(part));
      }
      exceptions.put(part.substring(0, equals), FakeNodeProfile.parse(part.substring(equals + 1)));
    }
    return new FakeNodeProfiles(FakeNodeProfile.parse(parts.get(0)), exceptions.buildKeepingLast());
  }

  /** The profile of one node. */
  public FakeNodeProfile of(String node) {
    return exceptions.getOrDefault(node, usual);
  }
}
