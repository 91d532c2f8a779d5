package io.gpudra.crds.handle;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import io.gpudra.crds.handle.DecodedHandle.Decoded;
import io.gpudra.crds.handle.DecodedHandle.Unreadable;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.text.TextInterner;
import io.gpudra.crds.text.UtcTimes;
import io.gpudra.crds.wire.PartEntry;
import io.gpudra.crds.wire.SharingEntry;
import io.gpudra.crds.wire.WireDevices;
import java.time.DateTimeException;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * Reads a claim's handle, which any client may have written. A handle of an old format keeps its
 * original meaning for every reader: keys of later formats are ignored in it.
 */
final class HandleReader {

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .nodeFactory(new Nodes())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .withCoercionConfig(
              LogicalType.Textual,
              text ->
                  text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                      .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                      .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
          .build();

  private final JsonNode handle;
  private final int format;

  private HandleReader(JsonNode handle, int format) {
    this.handle = handle;
    this.format = format;
  }

  static DecodedHandle read(String data) {
    try {
      return read(JSON.readTree(data));
    } catch (JsonProcessingException e) {
      return new Unreadable("handle is no JSON");
    } catch (DateTimeException e) {
      return new Unreadable("handle has no time in \"at\"");
    } catch (IllegalArgumentException e) {
      return new Unreadable("handle: " + e.getMessage());
    }
  }

  private static DecodedHandle read(JsonNode handle) {
    JsonNode format = handle.path("v");
    if (!format.isIntegralNumber() || format.bigIntegerValue().signum() <= 0) {
      return new Unreadable("handle has no format version");
    }
    if (!format.canConvertToInt() || format.intValue() > HandleCodec.FORMAT) {
      return new Unreadable(
          "handle format %s is newer than %d".formatted(shown(format), HandleCodec.FORMAT));
    }
    return new Decoded(new HandleReader(handle, format.intValue()).grant());
  }

  private static String shown(JsonNode format) {
    return format.canConvertToLong() ? format.asText() : "beyond all numbers";
  }

  private Grant grant() {
    return new Grant(
        new ClaimUid(text("claim")),
        text("node"),
        number("epoch").orElse(0),
        number("generation"),
        UtcTimes.parse(text("at")),
        isMonitor() ? ImmutableList.of() : devices());
  }

  private boolean isMonitor() {
    if (format == HandleCodec.PLAIN_FORMAT || !handle.has("mode")) {
      return false;
    }
    String mode = text("mode");
    if (!mode.equals(HandleCodec.MONITOR) && !mode.equals(HandleCodec.SHARED)) {
      throw new IllegalArgumentException("mode: must be shared or monitor");
    }
    return mode.equals(HandleCodec.MONITOR);
  }

  /**
   * A grant without devices would leave the node free for others although something was granted.
   */
  private ImmutableList<GrantedDevice> devices() {
    ImmutableList<PartEntry> entries = list("devices", PartEntry.class);
    if (entries.isEmpty()) {
      throw missing("devices");
    }
    ImmutableList<SharingEntry> settings =
        format > HandleCodec.PLAIN_FORMAT
            ? list("sharing", SharingEntry.class)
            : ImmutableList.of();
    ImmutableList.Builder<GrantedDevice> devices = ImmutableList.builder();
    for (int i = 0; i < entries.size(); i++) {
      devices.add(device("devices[" + i + "].", entries.get(i), settings));
    }
    return devices.build();
  }

  private GrantedDevice device(String path, PartEntry entry, ImmutableList<SharingEntry> settings) {
    if (Strings.isNullOrEmpty(entry.name())) {
      throw missing(path + "name");
    }
    try {
      return WireDevices.read(known(entry), settings);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(path + e.getMessage(), e);
    }
  }

  private PartEntry known(PartEntry entry) {
    return format > HandleCodec.PLAIN_FORMAT ? entry : PartEntry.whole(entry.name(), entry.uuid());
  }

  private <T> ImmutableList<T> list(String key, Class<T> type) {
    JsonNode list = handle.path(key);
    if (!list.isArray() && !list.isMissingNode()) {
      throw new IllegalArgumentException(key + ": must be a list");
    }
    ImmutableList.Builder<T> entries = ImmutableList.builder();
    for (int i = 0; i < list.size(); i++) {
      entries.add(entry(key + "[" + i + "]", list.get(i), type));
    }
    return entries.build();
  }

  private static <T> T entry(String path, JsonNode value, Class<T> type) {
    if (!value.isObject()) {
      throw new IllegalArgumentException(path + ": must be an object");
    }
    try {
      return JSON.treeToValue(value, type);
    } catch (JsonMappingException e) {
      throw new IllegalArgumentException(path + inner(e) + ": wrong type", e);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(path + ": wrong type", e);
    }
  }

  private static String inner(JsonMappingException e) {
    return e.getPath().stream()
        .map(JsonMappingException.Reference::getFieldName)
        .filter(Objects::nonNull)
        .map(name -> "." + name)
        .collect(Collectors.joining());
  }

  private OptionalLong number(String key) {
    JsonNode number = handle.path(key);
    return number.isIntegralNumber() && number.canConvertToLong()
        ? OptionalLong.of(number.longValue())
        : OptionalLong.empty();
  }

  private String text(String key) {
    JsonNode text = handle.path(key);
    if (!text.isTextual() || text.asText().isEmpty()) {
      throw missing(key);
    }
    return text.asText();
  }

  private static IllegalArgumentException missing(String key) {
    return new IllegalArgumentException(key + ": Required value");
  }

  /** Shares equal texts: the controller keeps the handles of all claims of a cluster. */
  private static final class Nodes extends JsonNodeFactory {
    private static final long serialVersionUID = 1;

    @Override
    public TextNode textNode(String text) {
      return super.textNode(TextInterner.same(text));
    }
  }
}
