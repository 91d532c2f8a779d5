package io.gpudra.kubeletplugin.device;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.util.concurrent.Uninterruptibles;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.DeviceTaint.Effect;
import io.gpudra.crds.model.node.Gpu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What goes wrong with devices on paper, as a file says that may change at any time:
 *
 * <pre>{@code
 * {"fail": {"makeGpuInstance": "In use by another client"},
 *  "delayMillis": {"startMps": 30000},
 *  "lost": ["gpu-3"],
 *  "xid": {"gpu-2": 79}}
 * }</pre>
 *
 * Steps are called as in {@link GpuDevices}. A file that is missing or no JSON stands for nothing.
 *
 * @param driver whose taints tell of lost devices and XIDs
 */
public record FakeFaults(Path file, String driver) {

  /** Longer than any caller waits for a step. */
  private static final long MAX_DELAY = Duration.ofMinutes(1).toMillis();

  private static final JsonMapper JSON = new JsonMapper();

  /** No faults at all. */
  public static FakeFaults none() {
    return new FakeFaults(Path.of("/dev/null"), "");
  }

  /** Called before a step; waits or fails as the file says. */
  void before(String step, Optional<Gpu> gpu) throws IOException {
    JsonNode now = now();
    long delay = Math.min(now.at("/delayMillis/" + step).asLong(), MAX_DELAY);
    if (delay > 0) {
      Uninterruptibles.sleepUninterruptibly(Duration.ofMillis(delay));
    }
    if (gpu.filter(some -> isLost(now, some)).isPresent()) {
      throw new IOException(gpu.get().name() + ": GPU is lost");
    }
    JsonNode failure = now.at("/fail/" + step);
    if (failure.isTextual()) {
      throw new IOException(gpu.map(some -> some.name() + ": ").orElse("") + failure.textValue());
    }
  }

  /** The taints that the plugin would find on the GPU. */
  Stream<DeviceTaint> taints(Gpu gpu) {
    JsonNode now = now();
    JsonNode xid = now.path("xid").path(gpu.name());
    return Stream.concat(
        isLost(now, gpu) ? Stream.of(taint("lost", "", "GPU is lost")) : Stream.of(),
        xid.isInt() ? Stream.of(taint("xid", xid.asText(), "XID " + xid.asText())) : Stream.of());
  }

  private DeviceTaint taint(String key, String value, String reason) {
    return new DeviceTaint(
        driver + "/" + key, value, Effect.NO_SCHEDULE, reason, Optional.empty(), Optional.empty());
  }

  private static boolean isLost(JsonNode now, Gpu gpu) {
    for (JsonNode name : now.path("lost")) {
      if (name.asText().equals(gpu.name())) {
        return true;
      }
    }
    return false;
  }

  private JsonNode now() {
    try {
      return JSON.readTree(Files.readAllBytes(file));
    } catch (IOException e) {
      return JSON.missingNode();
    }
  }
}
