package io.gpudra.bench.process;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpudra.scenarios.run.Manifests;
import java.io.IOException;
import java.nio.file.Path;

/** The most memory that a pod's only container may have. */
record MemoryLimit(long mebibytes) {
  private static final String MEBIBYTES = "Mi";

  /** Of a manifest with one Deployment or DaemonSet. */
  static MemoryLimit of(Path manifest) throws IOException {
    for (JsonNode object : Manifests.read(manifest)) {
      JsonNode limit = object.at("/spec/template/spec/containers/0/resources/limits/memory");
      if (limit.asText().endsWith(MEBIBYTES)) {
        return new MemoryLimit(Long.parseLong(limit.asText().replace(MEBIBYTES, "")));
      }
    }
    throw new IOException(manifest + ": no memory limit in " + MEBIBYTES);
  }

  /** A JVM outside of a container takes it for all the memory there is. */
  String jvmFlag() {
    return "-XX:MaxRAM=" + mebibytes + "m";
  }
}
