package io.gpudra.kubeletplugin.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.hash.Hashing;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Entry;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Phase;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * The checkpoint's bytes: {@code {"version":1,"sha256":…,"state":…}}, where the sum is over the
 * compact JSON of {@code state}.
 */
final class CheckpointCodec {

  static final int VERSION = 1;

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private CheckpointCodec() {}

  static byte[] encode(Checkpoint checkpoint) {
    ObjectNode state = JSON.createObjectNode();
    state.put("bootID", checkpoint.bootId());
    ObjectNode claims = state.putObject("claims");
    checkpoint.claims().forEach((uid, entry) -> write(claims.putObject(uid.value()), entry));
    ObjectNode root = JSON.createObjectNode();
    root.put("version", VERSION).put("sha256", sum(state)).set("state", state);
    return root.toPrettyString().getBytes(UTF_8);
  }

  private static void write(ObjectNode claim, Entry entry) {
    Grant grant = entry.grant();
    claim.put("phase", entry.phase().name());
    claim.put("namespace", entry.ref().namespace()).put("name", entry.ref().name());
    claim.put("node", grant.node()).put("epoch", grant.epoch());
    grant.generation().ifPresent(generation -> claim.put("generation", generation));
    claim.put("at", grant.at().toString());
    var devices = claim.putArray("devices");
    grant.devices().forEach(d -> devices.addObject().put("name", d.name()).put("uuid", d.uuid()));
  }

  private static String sum(JsonNode state) {
    return Hashing.sha256().hashString(state.toString(), UTF_8).toString();
  }

  /**
   * Reads back what {@link #encode} wrote.
   *
   * @throws IllegalArgumentException for anything else
   */
  static Checkpoint decode(byte[] bytes) {
    JsonNode root = parse(bytes);
    JsonNode version = root.path("version");
    require(version.canConvertToInt(), "it has no version");
    require(version.asInt() <= VERSION, "a newer plugin wrote it, version " + version.asInt());
    JsonNode state = root.path("state");
    require(sum(state).equals(root.path("sha256").asText()), "its checksum does not match");
    try {
      ImmutableMap.Builder<ClaimUid, Entry> claims = ImmutableMap.builder();
      state
          .path("claims")
          .properties()
          .forEach(e -> claims.put(new ClaimUid(e.getKey()), read(e.getKey(), e.getValue())));
      return new Checkpoint(text(state, "bootID"), claims.buildOrThrow());
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

  private static Entry read(String uid, JsonNode claim) {
    ImmutableList.Builder<GrantedDevice> devices = ImmutableList.builder();
    claim
        .path("devices")
        .forEach(d -> devices.add(new GrantedDevice(text(d, "name"), text(d, "uuid"))));
    JsonNode generation = claim.path("generation");
    Grant grant =
        new Grant(
            new ClaimUid(uid),
            text(claim, "node"),
            claim.path("epoch").asLong(),
            generation.isNumber() ? OptionalLong.of(generation.asLong()) : OptionalLong.empty(),
            Instant.parse(text(claim, "at")),
            devices.build());
    return new Entry(
        Phase.valueOf(text(claim, "phase")),
        new ClaimRef(text(claim, "namespace"), text(claim, "name")),
        grant);
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
