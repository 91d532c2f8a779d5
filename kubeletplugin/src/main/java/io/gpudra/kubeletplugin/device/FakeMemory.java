package io.gpudra.kubeletplugin.device;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.gpudra.crds.model.Part.Instance;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.Gpu.MigMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that keeps the MIG devices of fake GPUs while no plugin runs. Like MIG devices, its
 * content does not survive a boot: the plugin resets all GPUs then.
 */
record FakeMemory(Path file) {

  private static final Logger log = LoggerFactory.getLogger(FakeMemory.class);
  private static final JsonMapper JSON = new JsonMapper();

  /**
   * One GPU.
   *
   * @param made number of all MIG devices ever created
   * @param atBoot MIG devices after a boot; with another profile the whole record is void
   */
  record Cut(MigMode mode, int made, String atBoot, List<GpuInstance> instances) {}

  /** A GPU instance. */
  record GpuInstance(int number, Place place, boolean foreign, List<ComputeInstance> compute) {}

  /**
   * A compute instance.
   *
   * @param start the first of its compute slices, absent when it has all
   */
  record ComputeInstance(String uuid, @Nullable Integer start, @Nullable Integer slices) {

    static ComputeInstance of(String uuid, Slice slice) {
      return new ComputeInstance(
          uuid,
          slice.instance().map(Instance::start).orElse(null),
          slice.instance().map(Instance::compute).orElse(null));
    }

    Slice in(Slice gpuInstance) {
      return new Slice(
          gpuInstance.profile(),
          gpuInstance.start(),
          gpuInstance.size(),
          gpuInstance.compute(),
          start == null || slices == null
              ? Optional.empty()
              : Optional.of(new Instance(start, slices)));
    }
  }

  /** The place of a GPU instance. */
  record Place(String profile, int start, int size, int compute) {

    static Place of(Slice slice) {
      return new Place(slice.profile(), slice.start(), slice.size(), slice.compute());
    }

    Slice slice() {
      return new Slice(profile, start, size, compute, Optional.empty());
    }
  }

  /** The state by UUID of the GPU; empty when the file is missing or unreadable. */
  Map<String, Cut> load() throws IOException {
    if (Files.notExists(file)) {
      return Map.of();
    }
    try {
      return JSON.readValue(Files.readAllBytes(file), new TypeReference<Map<String, Cut>>() {});
    } catch (JacksonException e) {
      log.warn("no MIG devices on fake GPUs file={} reason=\"{}\"", file, e.getOriginalMessage());
      return Map.of();
    }
  }

  void save(Map<String, Cut> cuts) throws IOException {
    AtomicFile.write(file, JSON.writeValueAsBytes(cuts));
  }
}
