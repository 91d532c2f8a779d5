package io.gpudra.controller.client.watch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import com.google.common.collect.MultimapBuilder;
import com.google.common.collect.SetMultimap;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;

/**
 * Which fields of an object are read. The others, which may be a megabyte of somebody's labels, are
 * skipped as they stream by: neither their text nor a tree of them is ever in memory.
 */
public final class Fields {
  private static final Fields WHOLE = new Fields(ImmutableMap.of());
  private static final ImmutableList<String> OF_EVERY_OBJECT =
      ImmutableList.of(
          "metadata.namespace", "metadata.name", "metadata.uid", "metadata.resourceVersion");

  /** Empty where everything is read. */
  private final ImmutableMap<String, Fields> below;

  private Fields(Map<String, Fields> below) {
    this.below = ImmutableMap.copyOf(below);
  }

  /**
   * What says which object it is, and these.
   *
   * @param paths such as {@code spec.taints}; what is below one is read whole
   */
  public static Fields of(String... paths) {
    return below(ImmutableList.<String>builder().addAll(OF_EVERY_OBJECT).add(paths).build());
  }

  private static Fields below(Collection<String> paths) {
    SetMultimap<String, String> rests =
        MultimapBuilder.linkedHashKeys().linkedHashSetValues().build();
    for (String path : paths) {
      int dot = path.indexOf('.');
      rests.put(dot < 0 ? path : path.substring(0, dot), dot < 0 ? "" : path.substring(dot + 1));
    }
    return new Fields(
        Maps.transformValues(rests.asMap(), rest -> rest.contains("") ? WHOLE : below(rest)));
  }

  /** Those of a watch event: its type and these of its object, which may be a Status. */
  Fields inEvent() {
    Map<String, Fields> object = Maps.newLinkedHashMap(below);
    object.put("code", WHOLE);
    object.put("message", WHOLE);
    return new Fields(Map.of("type", WHOLE, "object", new Fields(object)));
  }

  /** Reads the next value; whole, when it is no object. */
  JsonElement read(JsonReader in) throws IOException {
    if (below.isEmpty() || in.peek() != JsonToken.BEGIN_OBJECT) {
      return JsonParser.parseReader(in);
    }
    JsonObject object = new JsonObject();
    in.beginObject();
    while (in.hasNext()) {
      String name = in.nextName();
      Fields field = below.get(name);
      if (field == null) {
        in.skipValue();
      } else {
        object.add(name, field.read(in));
      }
    }
    in.endObject();
    return object;
  }
}
