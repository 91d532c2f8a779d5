package io.gpudra.crds.handle;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
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
import org.jspecify.annotations.Nullable;

/** Writes and reads resource handles (api.md 6.1). */
public final class HandleCodec {

  /** Format written by this version, and the highest it reads. */
  public static final int FORMAT = 1;

  /** Most bytes of UTF-8 the API server takes (protocol.md 1.7). */
  public static final int MAX_BYTES = 16_384;

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .build();

  private HandleCodec() {}

  /** Whether a handle can say so much; what cannot be said must not be held. */
  public static boolean fits(Grant grant) {
    return Utf8.encodedLength(written(grant)) <= MAX_BYTES;
  }

  /**
   * The handle's text.
   *
   * @throws IllegalArgumentException when it would be longer than {@link #MAX_BYTES}
   */
  public static String encode(Grant grant) {
    return checkSize(written(grant), grant);
  }

  private static String written(Grant grant) {
    ObjectNode handle = JSON.createObjectNode();
    handle.put("v", FORMAT).put("claim", grant.claim().value()).put("node", grant.node());
    handle.put("epoch", grant.epoch());
    grant.generation().ifPresent(generation -> handle.put("generation", generation));
    handle.put("at", grant.at().toString());
    ArrayNode devices = handle.putArray("devices");
    grant.devices().forEach(d -> devices.addObject().put("name", d.name()).put("uuid", d.uuid()));
    return handle.toString();
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

  /** Reads any text whatever, none included; never throws. */
  public static DecodedHandle decode(@Nullable String data) {
    try {
      return data == null ? unreadable("handle is absent") : read(JSON.readTree(data));
    } catch (JsonProcessingException e) {
      return unreadable("handle is no JSON");
    } catch (DateTimeException e) {
      return unreadable("handle has no time in \"at\"");
    } catch (IllegalArgumentException e) {
      return unreadable(String.valueOf(e.getMessage()));
    }
  }

  private static DecodedHandle read(JsonNode handle) {
    JsonNode format = handle.path("v");
    if (!format.isIntegralNumber() || format.bigIntegerValue().signum() <= 0) {
      return unreadable("handle has no format version");
    }
    if (!format.canConvertToInt() || format.intValue() > FORMAT) {
      return unreadable("handle format %s is newer than %d".formatted(shown(format), FORMAT));
    }
    return new DecodedHandle.Understood(
        new Grant(
            new ClaimUid(text(handle, "claim")),
            text(handle, "node"),
            number(handle, "epoch").orElse(0),
            number(handle, "generation"),
            Instant.parse(text(handle, "at")),
            devices(handle.path("devices"))));
  }

  private static String shown(JsonNode format) {
    return format.canConvertToLong() ? format.asText() : "beyond all numbers";
  }

  /** A grant of nothing would leave the node free for others although something was granted. */
  private static ImmutableList<GrantedDevice> devices(JsonNode list) {
    required("devices", list.isArray() && !list.isEmpty());
    ImmutableList.Builder<GrantedDevice> devices = ImmutableList.builder();
    list.forEach(d -> devices.add(new GrantedDevice(text(d, "name"), text(d, "uuid"))));
    return devices.build();
  }

  private static OptionalLong number(JsonNode parent, String key) {
    JsonNode number = parent.path(key);
    return number.isIntegralNumber() && number.canConvertToLong()
        ? OptionalLong.of(number.longValue())
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
