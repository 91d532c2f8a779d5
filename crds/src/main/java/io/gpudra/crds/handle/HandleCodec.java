package io.gpudra.crds.handle;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Utf8;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.wire.WireDevices;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes and reads resource handles (api.md 6.1). */
public final class HandleCodec {

  /** The highest format that this version reads. */
  public static final int FORMAT = 2;

  /** The maximum bytes of UTF-8 that the API server accepts (protocol.md 1.7). */
  public static final int MAX_BYTES = 16_384;

  /** The format of whole GPUs, which every version of the plugin reads. */
  static final int PLAIN_FORMAT = 1;

  static final String MONITOR = "monitor";
  static final String SHARED = "shared";

  private static final JsonMapper JSON = new JsonMapper();

  private HandleCodec() {}

  /** Whether the grant fits into a handle; a grant that does not fit must not be held. */
  public static boolean fits(Grant grant) {
    WireDevices wireDevices = WireDevices.of(grant.devices());
    return excess(wireDevices, written(grant, wireDevices)).isEmpty();
  }

  /** The format that a plugin must be able to read for the grant. */
  public static int formatOf(Grant grant) {
    return format(WireDevices.of(grant.devices()));
  }

  /**
   * The text of the handle.
   *
   * @throws IllegalArgumentException when the grant does not {@linkplain #fits fit}
   */
  public static String encode(Grant grant) {
    WireDevices wireDevices = WireDevices.of(grant.devices());
    String data = written(grant, wireDevices);
    Optional<String> excess = excess(wireDevices, data);
    if (excess.isPresent()) {
      throw new IllegalArgumentException(
          "handle of claim %s has %s fit".formatted(grant.claim(), excess.get()));
    }
    return data;
  }

  private static String written(Grant grant, WireDevices wireDevices) {
    ObjectNode handle = JSON.createObjectNode();
    handle
        .put("v", format(wireDevices))
        .put("claim", grant.claim().value())
        .put("node", grant.node());
    handle.put("epoch", grant.epoch());
    grant.generation().ifPresent(generation -> handle.put("generation", generation));
    handle.put("at", grant.at().toString());
    mode(grant).ifPresent(mode -> handle.put("mode", mode));
    if (!wireDevices.entries().isEmpty()) {
      handle.putPOJO("devices", wireDevices.entries());
    }
    if (!wireDevices.sharing().isEmpty()) {
      handle.putPOJO("sharing", wireDevices.sharing());
    }
    return handle.toString();
  }

  private static int format(WireDevices wireDevices) {
    return wireDevices.plain() && !wireDevices.entries().isEmpty() ? PLAIN_FORMAT : FORMAT;
  }

  private static Optional<String> mode(Grant grant) {
    if (grant.devices().isEmpty()) {
      return Optional.of(MONITOR);
    }
    return grant.devices().stream().anyMatch(device -> device.part().part() instanceof Part.Share)
        ? Optional.of(SHARED)
        : Optional.empty();
  }

  private static Optional<String> excess(WireDevices wireDevices, String data) {
    int bytes = Utf8.encodedLength(data);
    if (bytes > MAX_BYTES) {
      return Optional.of("%d bytes, at most %d".formatted(bytes, MAX_BYTES));
    }
    int settings = wireDevices.sharing().size();
    return settings > WireDevices.MAX_SETTINGS
        ? Optional.of("%d settings, at most %d".formatted(settings, WireDevices.MAX_SETTINGS))
        : Optional.empty();
  }

  /** Reads any text, including an absent one; never throws. */
  public static DecodedHandle decode(@Nullable String data) {
    return data == null
        ? new DecodedHandle.Unreadable("handle is absent")
        : HandleReader.read(data);
  }
}
