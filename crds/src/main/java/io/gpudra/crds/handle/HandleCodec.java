package io.gpudra.crds.handle;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Utf8;
import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.OptionalLong;

/** Writes and reads resource handles (api.md 6.1). */
public final class HandleCodec {

  /** Format written by this version, and the highest it reads. */
  public static final int FORMAT = 1;

  /** Most bytes of UTF-8 the API server takes (protocol.md 1.7). */
  public static final int MAX_BYTES = 16_384;

  private static final JsonMapper JSON = new JsonMapper();

  private HandleCodec() {}

  /**
   * The handle's text.
   *
   * @throws IllegalArgumentException when it would be longer than {@link #MAX_BYTES}
   */
  public static String encode(Grant grant) {
    ObjectNode handle = JSON.createObjectNode();
    handle.put("v", FORMAT).put("claim", grant.claim().value()).put("node", grant.node());
    handle.put("epoch", grant.epoch());
    grant.generation().ifPresent(generation -> handle.put("generation", generation));
    handle.put("at", grant.at().toString());
    ArrayNode devices = handle.putArray("devices");
    grant.devices().forEach(d -> devices.addObject().put("name", d.name()).put("uuid", d.uuid()));
    return checkSize(handle.toString(), grant);
  }

  private static String checkSize(String data, Grant grant) {
    int bytes = Utf8.encodedLength(data);
    if (bytes > MAX_BYTES) {
      throw new IllegalArgumentException(
          "handle of claim %s has %d bytes, at most %d fit"
              .formatted(grant.claim(), bytes, MAX_BYTES));
    }
    return data;
  }

  /** Reads any text whatever; never throws. */
  public static DecodedHandle decode(String data) {
    try {
      return read(JSON.readTree(data));
    } catch (JsonProcessingException e) {
      return unreadable("handle is no JSON");
    } catch (IllegalArgumentException | DateTimeException e) {
      return unreadable(String.valueOf(e.getMessage()));
    }
  }

  private static DecodedHandle read(JsonNode handle) {
    if (!handle.path("v").canConvertToInt() || handle.path("v").asInt() < 1) {
      return unreadable("handle has no format version");
    }
    if (handle.path("v").asInt() > FORMAT) {
      return unreadable(
          "handle format %d is newer than %d".formatted(handle.path("v").asInt(), FORMAT));
    }
    ImmutableList.Builder<GrantedDevice> devices = ImmutableList.builder();
    required("devices", handle.path("devices").isArray());
    handle
        .path("devices")
        .forEach(d -> devices.add(new GrantedDevice(text(d, "name"), text(d, "uuid"))));
    return new DecodedHandle.Understood(
        new Grant(
            new ClaimUid(text(handle, "claim")),
            text(handle, "node"),
            handle.path("epoch").asLong(0),
            generation(handle),
            Instant.parse(text(handle, "at")),
            devices.build()));
  }

  private static OptionalLong generation(JsonNode handle) {
    JsonNode generation = handle.path("generation");
    return generation.canConvertToLong()
        ? OptionalLong.of(generation.asLong())
        : OptionalLong.empty();
  }

  private static String text(JsonNode parent, String key) {
    required(key, parent.path(key).isTextual() && !parent.path(key).asText().isEmpty());
    return parent.path(key).asText();
  }

  private static void required(String key, boolean present) {
    if (!present) {
      throw new IllegalArgumentException("handle lacks \"" + key + "\"");
    }
  }

  private static DecodedHandle unreadable(String problem) {
    return new DecodedHandle.Unreadable(problem);
  }
}
