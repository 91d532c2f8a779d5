package io.gpudra.simulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The CDI directories of a node at one moment (protocol.md 5.1). A device named by two files of one
 * directory is resolvable by neither; a directory wins over those before it.
 */
final class CdiSpecs {
  private static final Logger LOG = LoggerFactory.getLogger(CdiSpecs.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ObjectMapper YAML = new YAMLMapper();

  /** A device, and the spec whose common edits come with it. */
  record Device(CdiSpec spec, JsonNode edits) {}

  private final Map<String, Device> devices = new HashMap<>();

  private CdiSpecs() {}

  /**
   * Reads anew, as a runtime does before each injection.
   *
   * @param directories from low to high priority; a missing one counts as empty
   */
  static CdiSpecs read(List<Path> directories) {
    CdiSpecs specs = new CdiSpecs();
    directories.forEach(specs::addDirectory);
    return specs;
  }

  private void addDirectory(Path directory) {
    Map<String, Device> here = new HashMap<>();
    Set<String> conflicts = new HashSet<>();
    for (Path file : files(directory)) {
      parse(file).ifPresent(spec -> addSpec(spec, here, conflicts));
    }
    here.keySet().removeAll(conflicts);
    devices.keySet().removeAll(conflicts);
    devices.putAll(here);
  }

  private static void addSpec(CdiSpec spec, Map<String, Device> here, Set<String> conflicts) {
    for (JsonNode device : spec.devices()) {
      String name = spec.kind() + "=" + device.path("name").asText();
      if (here.put(name, new Device(spec, device.path("containerEdits"))) != null) {
        conflicts.add(name);
      }
    }
  }

  private static List<Path> files(Path directory) {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.toString().endsWith(".json") || file.toString().endsWith(".yaml"))
          .sorted()
          .toList();
    } catch (IOException e) {
      LOG.warn("cannot read CDI directory path={}", directory, e);
      return List.of();
    }
  }

  private static Optional<CdiSpec> parse(Path file) {
    try {
      ObjectMapper mapper = file.toString().endsWith(".json") ? JSON : YAML;
      CdiSpec spec = new CdiSpec(mapper.readTree(Files.readAllBytes(file)));
      Optional<String> problem = spec.problem();
      problem.ifPresent(text -> LOG.warn("CDI file skipped path={} reason={}", file, text));
      return problem.isEmpty() ? Optional.of(spec) : Optional.empty();
    } catch (IOException e) {
      LOG.warn("CDI file skipped path={} reason={}", file, e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * What injecting the devices adds to a container: each device's edits, and once for each spec its
   * common ones.
   *
   * @return the edits, or empty when a device cannot be resolved
   */
  Optional<List<JsonNode>> edits(List<String> names) {
    List<JsonNode> edits = new ArrayList<>();
    Set<CdiSpec> common = new HashSet<>();
    for (String name : names) {
      Device device = devices.get(name);
      if (device == null) {
        return Optional.empty();
      }
      if (common.add(device.spec())) {
        edits.add(device.spec().root().path("containerEdits"));
      }
      edits.add(device.edits());
    }
    return Optional.of(edits);
  }
}
