package io.gpudra.kubeletplugin.device.nvidia;

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
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is wrong with GPUs, for the next process of the same boot. It is worth no failure: what
 * cannot be read is forgotten, what cannot be written is told.
 *
 * @param bootId differs after each boot of the machine, which mends what can be mended
 */
public record HealthFile(Path file, String bootId) {

  private static final Logger log = LoggerFactory.getLogger(HealthFile.class);
  private static final JsonMapper JSON = new JsonMapper();

  private record Content(String bootId, List<Entry> wrong) {}

  /** An older plugin kept no effect. */
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

  /** Taints by their names, by the UUIDs of GPUs. */
  Map<String, Map<String, DeviceTaint>> load() {
    Map<String, Map<String, DeviceTaint>> taints = new HashMap<>();
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
        }
      } catch (IOException | RuntimeException e) {
        log.warn("health of GPUs is not known from before file={} reason={}", file, e.toString());
      }
    }
    return taints;
  }

  void save(Map<String, Map<String, DeviceTaint>> taints) {
    ImmutableList.Builder<Entry> wrong = ImmutableList.builder();
    taints.forEach(
        (uuid, all) -> all.forEach((name, taint) -> wrong.add(entry(uuid, name, taint))));
    try {
      AtomicFile.write(file, JSON.writeValueAsBytes(new Content(bootId, wrong.build())));
    } catch (IOException e) {
      log.warn("health of GPUs is not kept file={} reason={}", file, e.toString());
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
