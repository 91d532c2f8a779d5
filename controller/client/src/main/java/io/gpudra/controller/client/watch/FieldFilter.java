package io.gpudra.controller.client.watch;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.MultimapBuilder;
import com.google.common.collect.SetMultimap;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The fields of an object that are read. The others, which may be a megabyte of labels, are skipped
 * in the stream: neither their text nor a tree of them is ever in memory.
 */
public final class FieldFilter {
  static final FieldFilter WHOLE = new FieldFilter(ImmutableMap.of(), null);

  private static final ImmutableMap<String, FieldFilter> OF_EVERY_OBJECT =
      Arrays.stream(ObjectIdentity.values())
          .collect(
              toImmutableMap(
                  ObjectIdentity::path, part -> new FieldFilter(ImmutableMap.of(), part)));

  /** The first name of a path, or a key in brackets. */
  private static final Pattern FIRST = Pattern.compile("\\[?((?<=\\[)[^\\]]+|[^.\\[]+)\\]?\\.?");

  /** The fields by name; empty where all are read. */
  private final ImmutableMap<String, FieldFilter> below;

  private final @Nullable ObjectIdentity identity;

  private FieldFilter(ImmutableMap<String, FieldFilter> below, @Nullable ObjectIdentity identity) {
    this.below = below;
    this.identity = identity;
  }

  /** The part of the object's identity that this field holds. */
  @Nullable ObjectIdentity identity() {
    return identity;
  }

  /**
   * The identity of the object, and these fields.
   *
   * @param paths such as {@code spec.taints}, {@code spec.containers.name} of every element of a
   *     list, or {@code metadata.labels[a.b/c]} of a key with dots; all fields below a path are
   *     read
   */
  public static FieldFilter of(String... paths) {
    return below(
        "", Stream.concat(OF_EVERY_OBJECT.keySet().stream(), Arrays.stream(paths)).toList());
  }

  private static FieldFilter below(String path, Collection<String> paths) {
    SetMultimap<String, String> rests =
        MultimapBuilder.linkedHashKeys().linkedHashSetValues().build();
    for (String rest : paths) {
      Matcher first = FIRST.matcher(rest);
      if (!first.lookingAt()) {
        throw new IllegalArgumentException("no path: " + rest);
      }
      rests.put(first.group(1), rest.substring(first.end()));
    }
    return new FieldFilter(
        rests.asMap().entrySet().stream()
            .collect(
                toImmutableMap(
                    Map.Entry::getKey, field -> field(path + field.getKey(), field.getValue()))),
        null);
  }

  private static FieldFilter field(String path, Collection<String> rests) {
    return rests.contains("")
        ? OF_EVERY_OBJECT.getOrDefault(path, WHOLE)
        : below(path + ".", rests);
  }

  /** Whether all fields are read. */
  boolean all() {
    return below.isEmpty();
  }

  /** The fields that are read below the field of this name; null for none. */
  @Nullable FieldFilter below(String name) {
    return below.get(name);
  }
}
