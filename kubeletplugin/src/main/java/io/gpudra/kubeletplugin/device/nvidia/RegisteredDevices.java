package io.gpudra.kubeletplugin.device.nvidia;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.io.ByteStreams;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.MigState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Devices that device plugins have registered with the kubelet of this node, from the kubelet's
 * checkpoint. Resource names of a device plugin are configurable; the ID of a device contains the
 * UUID of its GPU, also for replicas and parts (NVIDIA's, HAMi's, Volcano's and Alibaba's plugins).
 *
 * @param checkpoint its path on the node
 */
public record RegisteredDevices(RootFiles node, Path checkpoint) {
  private static final Logger log = LoggerFactory.getLogger(RegisteredDevices.class);
  private static final JsonFactory JSON = new JsonFactory();

  /** The file also lists the devices of pods. */
  private static final int MAX_BYTES = 8 << 20;

  /** The devices registered with the kubelet in this root directory. */
  public static RegisteredDevices below(Path nodeRoot, Path kubeletDir) {
    return new RegisteredDevices(
        new RootFiles(nodeRoot), kubeletDir.resolve("device-plugins/kubelet_internal_checkpoint"));
  }

  /**
   * The names of the resources with a device of these GPUs: none where the file cannot be read;
   * absent where the file is longer than the limit.
   */
  public Optional<ImmutableSet<String>> resourcesOf(List<Gpu> gpus) {
    try {
      Optional<Path> file = node.resolve(checkpoint);
      return file.isPresent() ? resources(file.get(), uuids(gpus)) : Optional.of(ImmutableSet.of());
    } catch (IOException e) {
      log.debug("devices of device plugins are not known reason=\"{}\"", e.getMessage());
      return Optional.of(ImmutableSet.of());
    }
  }

  private static ImmutableList<String> uuids(List<Gpu> gpus) {
    return gpus.stream()
        .flatMap(
            gpu ->
                Stream.concat(
                    Stream.of(gpu.uuid()), gpu.mig().devices().stream().map(MigState.Device::uuid)))
        .filter(uuid -> !uuid.isEmpty())
        .collect(toImmutableList());
  }

  private static Optional<ImmutableSet<String>> resources(Path file, List<String> uuids)
      throws IOException {
    try (InputStream bytes = ByteStreams.limit(Files.newInputStream(file), MAX_BYTES);
        JsonParser json = JSON.createParser(bytes)) {
      json.nextToken();
      return Optional.of(
          enters(json, "Data") && enters(json, "RegisteredDevices")
              ? registered(json, uuids)
              : ImmutableSet.of());
    } catch (JsonProcessingException e) {
      if (Files.size(file) <= MAX_BYTES) {
        throw e;
      }
      log.warn(
          "resources of device plugins are not known, {} has more than {} bytes", file, MAX_BYTES);
      return Optional.empty();
    }
  }

  /** Moves to the value of a field of the object that has just begun, if there is one. */
  private static boolean enters(JsonParser json, String field) throws IOException {
    if (!json.isExpectedStartObjectToken()) {
      return false;
    }
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      boolean found = field.equals(json.currentName());
      json.nextToken();
      if (found) {
        return json.isExpectedStartObjectToken();
      }
      json.skipChildren();
    }
    return false;
  }

  private static ImmutableSet<String> registered(JsonParser json, List<String> uuids)
      throws IOException {
    ImmutableSet.Builder<String> resources = ImmutableSet.builder();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String resource = json.currentName();
      json.nextToken();
      if (hasOneOf(json, uuids)) {
        resources.add(resource);
      }
    }
    return resources.build();
  }

  private static boolean hasOneOf(JsonParser json, List<String> uuids) throws IOException {
    boolean found = false;
    if (json.isExpectedStartArrayToken()) {
      while (json.nextToken() == JsonToken.VALUE_STRING) {
        String id = json.getText();
        found |= uuids.stream().anyMatch(id::contains);
      }
    }
    return found;
  }
}
