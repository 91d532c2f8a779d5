package io.gpudra.kubeletplugin.device.nvidia;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Lists;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** What nvidia-ml-py, NVIDIA's own binding, reads of GPUs, and what ours does, field by field. */
final class NvidiaBinding {

  private static final String PYTHON = "python3";
  private static final ObjectMapper JSON = new ObjectMapper();

  private NvidiaBinding() {}

  /** As gpus.py reads it. */
  static JsonNode theirs(EmulatedKernel kernel) throws IOException {
    Ended ended = run(kernel, "gpus.py");
    assertThat(ended.status()).as(ended.words()).isZero();
    return JSON.readTree(ended.words());
  }

  /** A process that has ended. */
  record Ended(int status, String words) {}

  /** Runs a script on NVIDIA's binding in a process of its own, on the same kernel. */
  static Ended run(EmulatedKernel kernel, String script, String... arguments) throws IOException {
    Assumptions.assumeTrue(hasPython(), "no python3 to run NVIDIA's binding");
    Path binding = Emulated.packageOf("nvidia-ml-py").file("pynvml.py").resolveSibling("");
    Path file = kernel.root().resolve(script);
    Files.write(file, Resources.toByteArray(Resources.getResource(NvidiaBinding.class, script)));
    ProcessBuilder command = new ProcessBuilder(Lists.asList(PYTHON, file.toString(), arguments));
    command.environment().put("PYTHONPATH", binding.toString());
    command.environment().put("LD_LIBRARY_PATH", kernel.library().resolveSibling("").toString());
    command.environment().put("NVEMU_ROOT", kernel.root().toString());
    Process process = command.redirectErrorStream(true).start();
    String words = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Ended(process.onExit().join().exitValue(), words);
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
      all.put("cuda", session.cudaDriverVersion());
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
