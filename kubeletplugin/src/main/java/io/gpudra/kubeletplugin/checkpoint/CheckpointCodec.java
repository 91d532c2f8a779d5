package io.gpudra.kubeletplugin.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.hash.Hashing;
import com.google.common.primitives.Bytes;
import io.gpudra.crds.handle.DecodedHandle;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Entry;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Phase;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Pods;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Remembered;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The checkpoint's bytes: {@code {"version":…,"sha256":…,"state":…}}, with the sum over the compact
 * JSON of {@code state}. A grant that does not fit the first format of a handle is stored as a
 * handle, in a file of version 2. Without such grants the file has version 1, so that an older
 * plugin can read it. Not thread-safe.
 */
final class CheckpointCodec {

  /** The newest version; only written for grants that do not fit version 1. */
  static final int VERSION = 2;

  /** The version that every plugin reads; it has whole GPUs only. */
  private static final int PLAIN_VERSION = 1;

  /** The format of the handles whose grants fit it. */
  private static final int PLAIN_HANDLE = 1;

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private final PrefixSum sums = new PrefixSum();

  /** The result of the last encoding: most claims have not changed since. */
  private ImmutableMap<ClaimUid, Encoded> encoded = ImmutableMap.of();

  /** An entry with its key and JSON, and whether every version of the plugin can read it. */
  private record Encoded(Entry entry, SerializedString json, boolean plain) {}

  byte[] encode(Checkpoint checkpoint) {
    encoded = encoded(checkpoint.claims());
    ImmutableList<SerializedString> state = state(checkpoint);
    String start =
        "{\"version\":%d,\"sha256\":\"%s\",\"state\":"
            .formatted(version(checkpoint), sums.of(state));
    ImmutableList.Builder<byte[]> file = ImmutableList.<byte[]>builder().add(start.getBytes(UTF_8));
    state.forEach(part -> file.add(part.asUnquotedUTF8()));
    return Bytes.concat(file.add(new byte[] {'}'}).build().toArray(byte[][]::new));
  }

  /** The claims that have not changed come first, in their order: they need not be summed again. */
  private ImmutableMap<ClaimUid, Encoded> encoded(ImmutableMap<ClaimUid, Entry> claims) {
    ImmutableMap.Builder<ClaimUid, Encoded> all = ImmutableMap.builder();
    Map<ClaimUid, Entry> changed = new LinkedHashMap<>(claims);
    encoded.forEach(
        (uid, known) -> {
          if (changed.remove(uid, known.entry())) {
            all.put(uid, known);
          }
        });
    changed.forEach((uid, entry) -> all.put(uid, encoded(uid, entry)));
    return all.buildOrThrow();
  }

  /** The compact JSON of the state, in parts. */
  private ImmutableList<SerializedString> state(Checkpoint checkpoint) {
    ImmutableList.Builder<SerializedString> parts = ImmutableList.builder();
    parts.add(
        new SerializedString(
            "{\"bootID\":" + TextNode.valueOf(checkpoint.bootId()) + ",\"claims\":{"));
    String comma = "";
    for (Encoded claim : encoded.values()) {
      parts.add(new SerializedString(comma), claim.json());
      comma = ",";
    }
    // Not a new version: an older plugin skips this and knows as much as before.
    ArrayNode remembered = JSON.createArrayNode();
    checkpoint.remembered().forEach(claim -> write(remembered.addObject(), claim));
    return parts.add(new SerializedString("},\"remembered\":" + remembered + "}")).build();
  }

  private static Encoded encoded(ClaimUid uid, Entry entry) {
    ObjectNode claim = JSON.createObjectNode();
    write(claim, entry);
    String json = TextNode.valueOf(uid.value()) + ":" + claim;
    return new Encoded(entry, new SerializedString(json), isPlain(entry.grant()));
  }

  private int version(Checkpoint checkpoint) {
    return encoded.values().stream().allMatch(Encoded::plain)
            && checkpoint.remembered().stream()
                .map(Remembered::grant)
                .allMatch(CheckpointCodec::isPlain)
        ? PLAIN_VERSION
        : VERSION;
  }

  private static boolean isPlain(Grant grant) {
    return HandleCodec.formatOf(grant) == PLAIN_HANDLE;
  }

  private static void write(ObjectNode claim, Entry entry) {
    claim.put("phase", entry.phase().name());
    write(claim, entry.ref(), entry.grant());
    if (!entry.made().isEmpty()) {
      // Not a new version: an older plugin skips this and considers all devices its own.
      ObjectNode made = claim.putObject("made");
      entry.made().forEach(made::put);
    }
    // Nor is this: an older plugin leaves lost claims to the kubelet.
    entry.pods().ifPresent(pods -> write(claim.putObject("pods"), pods));
  }

  private static void write(ObjectNode claim, Pods pods) {
    var users = claim.putArray("users");
    pods.users().forEach(users::add);
    var before = claim.putArray("before");
    pods.before().forEach(before::add);
  }

  private static void write(ObjectNode claim, Remembered remembered) {
    claim.put("uid", remembered.grant().claim().value());
    write(claim, remembered.ref(), remembered.grant());
    if (remembered.prepared()) {
      claim.put("prepared", true);
    }
  }

  private static void write(ObjectNode claim, ClaimRef ref, Grant grant) {
    claim.put("namespace", ref.namespace()).put("name", ref.name());
    if (!isPlain(grant)) {
      claim.put("handle", HandleCodec.encode(grant));
      return;
    }
    claim.put("node", grant.node()).put("epoch", grant.epoch());
    grant.generation().ifPresent(generation -> claim.put("generation", generation));
    claim.put("at", grant.at().toString());
    var devices = claim.putArray("devices");
    grant.devices().forEach(d -> devices.addObject().put("name", d.name()).put("uuid", d.uuid()));
  }

  private static String sum(String state) {
    return Hashing.sha256().hashString(state, UTF_8).toString();
  }

  /**
   * Reads the result of {@link #encode}.
   *
   * @throws IllegalArgumentException for any other bytes
   */
  static Checkpoint decode(byte[] bytes) {
    JsonNode root = parse(bytes);
    JsonNode version = root.path("version");
    require(version.canConvertToInt(), "it has no version");
    require(version.asInt() <= VERSION, "a newer plugin wrote it, version " + version.asInt());
    JsonNode state = root.path("state");
    require(
        sum(state.toString()).equals(root.path("sha256").asText()), "its checksum does not match");
    try {
      ImmutableMap.Builder<ClaimUid, Entry> claims = ImmutableMap.builder();
      state
          .path("claims")
          .properties()
          .forEach(e -> claims.put(new ClaimUid(e.getKey()), entry(e.getKey(), e.getValue())));
      ImmutableList.Builder<Remembered> remembered = ImmutableList.builder();
      state.path("remembered").forEach(claim -> remembered.add(remembered(claim)));
      return new Checkpoint(text(state, "bootID"), claims.buildOrThrow(), remembered.build());
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("it has a malformed time", e);
    }
  }

  private static JsonNode parse(byte[] bytes) {
    try {
      return JSON.readTree(bytes);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("it is no JSON: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new IllegalArgumentException("it is unreadable: " + e.getMessage(), e);
    }
  }

  private static Entry entry(String uid, JsonNode claim) {
    ImmutableMap.Builder<String, String> made = ImmutableMap.builder();
    claim.path("made").properties().forEach(e -> made.put(e.getKey(), e.getValue().asText()));
    return new Entry(
        Phase.valueOf(text(claim, "phase")),
        ref(claim),
        grant(uid, claim),
        made.buildOrThrow(),
        Optional.of(claim.path("pods")).filter(JsonNode::isObject).map(CheckpointCodec::pods));
  }

  private static Pods pods(JsonNode pods) {
    return new Pods(texts(pods, "users"), texts(pods, "before"));
  }

  private static ImmutableSet<String> texts(JsonNode parent, String key) {
    require(parent.path(key).isArray(), "it lacks \"" + key + "\"");
    ImmutableSet.Builder<String> texts = ImmutableSet.builder();
    parent.path(key).forEach(text -> texts.add(text.asText()));
    return texts.build();
  }

  private static Remembered remembered(JsonNode claim) {
    return new Remembered(
        ref(claim), grant(text(claim, "uid"), claim), claim.path("prepared").asBoolean());
  }

  private static ClaimRef ref(JsonNode claim) {
    return new ClaimRef(text(claim, "namespace"), text(claim, "name"));
  }

  private static Grant grant(String uid, JsonNode claim) {
    return claim.has("handle") ? handed(text(claim, "handle")) : plain(uid, claim);
  }

  private static Grant handed(String handle) {
    DecodedHandle decoded = HandleCodec.decode(handle);
    if (decoded instanceof DecodedHandle.Decoded withGrant) {
      return withGrant.grant();
    }
    throw new IllegalArgumentException(
        "it has a grant that is unreadable: " + ((DecodedHandle.Unreadable) decoded).problem());
  }

  private static Grant plain(String uid, JsonNode claim) {
    ImmutableList.Builder<GrantedDevice> devices = ImmutableList.builder();
    claim
        .path("devices")
        .forEach(d -> devices.add(new GrantedDevice(text(d, "name"), text(d, "uuid"))));
    JsonNode generation = claim.path("generation");
    return new Grant(
        new ClaimUid(uid),
        text(claim, "node"),
        claim.path("epoch").asLong(),
        generation.isNumber() ? OptionalLong.of(generation.asLong()) : OptionalLong.empty(),
        Instant.parse(text(claim, "at")),
        devices.build());
  }

  private static String text(JsonNode parent, String key) {
    require(parent.path(key).isTextual(), "it lacks \"" + key + "\"");
    return parent.path(key).asText();
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }
}
