package io.gpudra.kubeletplugin.device.nvidia;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.kubeletplugin.device.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Problems of GPUs and MIG devices, for the next process of the same boot. Failures of this file
 * are never fatal: unreadable content is dropped, and failed writes are logged.
 *
 * @param bootId differs after each boot of the machine, which clears most problems
 */
public record HealthFile(Path file, String bootId) {

  private static final Logger log = LoggerFactory.getLogger(HealthFile.class);

  /** A later plugin may have written more. */
  private static final JsonMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  /**
   * Problems by UUID.
   *
   * @param taints by their names
   * @param places of the MIG devices among them
   */
  record Known(Map<String, Map<String, DeviceTaint>> taints, Map<String, Place> places) {}

  /**
   * The last place of a MIG device.
   *
   * @param gpu its UUID
   * @param name such as {@code gpu-0-mig-1g.10gb-2}
   */
  record Place(String gpu, String name) {}

  /** An older plugin does not know places, and drops all fields beside one. */
  private record Content(
      String bootId,
      List<Entry> wrong,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) @Nullable Map<String, Place> migDevices) {}

  /** An entry. An older plugin stored no effect. */
  private record Entry(
      String uuid,
      String name,
      String key,
      String value,
      @Nullable String effect,
      String reason,
      long since) {

    DeviceTaint taint() {
      return new DeviceTaint(
          key,
          value,
          Effect.of(effect).orElse(Effect.NO_SCHEDULE),
          reason,
          Optional.of(Instant.ofEpochSecond(since)),
          Optional.empty());
    }
  }

  Known load() {
    Map<String, Map<String, DeviceTaint>> taints = new HashMap<>();
    Map<String, Place> places = new HashMap<>();
    if (Files.exists(file)) {
      try {
        Content content = JSON.readValue(Files.readAllBytes(file), Content.class);
        if (content.bootId().equals(bootId)) {
          content
              .wrong()
              .forEach(
                  entry ->
                      taints
                          .computeIfAbsent(entry.uuid(), uuid -> new TreeMap<>())
                          .put(entry.name(), entry.taint()));
          places.putAll(Objects.requireNonNullElse(content.migDevices(), Map.of()));
        }
      } catch (IOException | RuntimeException e) {
        log.warn("cannot read the health of GPUs file={} reason={}", file, e.toString());
      }
    }
    return new Known(taints, places);
  }

  void save(Known known) {
    ImmutableList.Builder<Entry> wrong = ImmutableList.builder();
    known
        .taints()
        .forEach((uuid, all) -> all.forEach((name, taint) -> wrong.add(entry(uuid, name, taint))));
    try {
      AtomicFile.write(
          file, JSON.writeValueAsBytes(new Content(bootId, wrong.build(), known.places())));
    } catch (IOException e) {
      log.warn("cannot save the health of GPUs file={} reason={}", file, e.toString());
    }
  }

  private static Entry entry(String uuid, String name, DeviceTaint taint) {
    return new Entry(
        uuid,
        name,
        taint.key(),
        taint.value(),
        taint.effect().text(),
        taint.reason(),
        taint.since().map(Instant::getEpochSecond).orElse(0L));
  }
}
