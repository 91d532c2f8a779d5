package io.gpudra.kubeletplugin.device.nvidia;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import com.google.common.io.Resources;
import io.gpudra.kubeletplugin.device.nvml.GpuInstanceProfile;
import io.gpudra.kubeletplugin.device.nvml.Nvml;
import io.gpudra.kubeletplugin.device.nvml.NvmlException;
import io.gpudra.kubeletplugin.device.nvml.NvmlGpu;
import io.gpudra.kubeletplugin.testing.Emulated;
import io.gpudra.nvidia.EmulatedKernel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** What nvidia-ml-py, NVIDIA's own binding, reads of GPUs, and what ours does, field by field. */
final class NvidiaBinding {

  private static final String PYTHON = "python3";
  private static final ObjectMapper JSON = new ObjectMapper();

  private NvidiaBinding() {}

  /** As gpus.py reads it, in a process of its own. */
  static JsonNode theirs(EmulatedKernel kernel) throws IOException {
    Assumptions.assumeTrue(hasPython(), "no python3 to run NVIDIA's binding");
    Path binding = Emulated.packageOf("nvidia-ml-py").file("pynvml.py").resolveSibling("");
    Path script = kernel.root().resolve("gpus.py");
    Files.write(
        script, Resources.toByteArray(Resources.getResource(NvidiaBinding.class, "gpus.py")));
    ProcessBuilder command = new ProcessBuilder(PYTHON, script.toString());
    command.environment().put("PYTHONPATH", binding.toString());
    command.environment().put("LD_LIBRARY_PATH", kernel.library().resolveSibling("").toString());
    command.environment().put("NVEMU_ROOT", kernel.root().toString());
    Process process = command.redirectErrorStream(true).start();
    String words = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.onExit().join().exitValue()).as(words).isZero();
    return JSON.readTree(words);
  }

  private static boolean hasPython() {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, PYTHON)));
  }

  /** The same, as the plugin reads it. */
  static JsonNode ours(EmulatedKernel kernel) throws IOException {
    try (Nvml session = Nvml.open(kernel.library())) {
      ObjectNode all = JSON.createObjectNode();
      all.put("driver", session.driverVersion());
      List<String> cuda = Splitter.on('.').splitToList(session.cudaDriverVersion());
      all.put("cuda", 1000 * Integer.parseInt(cuda.get(0)) + 10 * Integer.parseInt(cuda.get(1)));
      ArrayNode gpus = all.putArray("gpus");
      for (NvmlGpu gpu : session.gpus()) {
        gpus.add(read(gpu));
      }
      // Numbers are as wide as the text has them.
      return JSON.readTree(JSON.writeValueAsString(all));
    }
  }

  private static ObjectNode read(NvmlGpu gpu) throws NvmlException {
    ObjectNode fields = JSON.createObjectNode();
    fields.put("name", gpu.name());
    fields.put("uuid", gpu.uuid());
    fields.put("busId", gpu.pcieBusId());
    fields.put("minor", gpu.minor());
    fields.put("memory", gpu.memoryBytes().orElseThrow());
    fields.put("brand", gpu.brand());
    fields.put("architecture", gpu.architecture().orElseThrow());
    fields.put("computeCapability", gpu.cudaComputeCapability());
    fields.put("ecc", gpu.ecc());
    fields.put("mig", gpu.mig().mode().orElseThrow().enabled());
    fields.put("computeMode", gpu.computeMode().orElse(null));
    ArrayNode processes = fields.putArray("processes");
    gpu.processes().forEach(processes::add);
    ArrayNode profiles = fields.putArray("profiles");
    gpu.mig().profiles().forEach(profile -> profiles.add(read(profile)));
    return fields;
  }

  private static ObjectNode read(GpuInstanceProfile profile) {
    ObjectNode fields = JSON.createObjectNode();
    fields.put("number", profile.number());
    fields.put("id", profile.id());
    fields.put("compute", profile.compute());
    fields.put("most", profile.most());
    fields.put("memoryMib", profile.memoryMib());
    ArrayNode placements = fields.putArray("placements");
    profile
        .placements()
        .forEach(place -> placements.addArray().add(place.start()).add(place.size()));
    return fields;
  }
}
