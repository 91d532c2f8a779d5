package io.gpudra.controller.gpu;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.controller.dra.ClaimFacts;
import io.gpudra.controller.dra.ClassFacts;
import io.gpudra.controller.dra.ParametersRef;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.GpuClaimParameters;
import io.gpudra.crds.api.GpuClaimParametersSpec;
import io.gpudra.crds.api.GpuClassParameters;
import io.gpudra.crds.api.GpuClassParametersSpec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Gpu;
import io.gpudra.crds.model.GpuModel;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.Inventory;
import io.gpudra.crds.model.MigState;
import io.gpudra.crds.model.NodeState;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** A cluster's objects as this package's tests need them. */
final class GpuSamples {

  static final String DRIVER = "gpu.resource.example.com";
  static final String NAMESPACE = "team-a";

  static final GpuModel A100 =
      new GpuModel(
          "NVIDIA A100-SXM4-80GB",
          "Nvidia",
          "Ampere",
          "8.0",
          80L << 30,
          ImmutableSortedSet.of("nvlink", "tensorCores"));

  static final GpuModel T4 =
      new GpuModel(
          "Tesla T4", "Tesla", "Turing", "7.5", 16L << 30, ImmutableSortedSet.of("tensorCores"));

  private GpuSamples() {}

  static Gpu gpu(int index, GpuModel model, Gpu.MigMode mig) {
    return gpu("gpu-" + index, "GPU-" + index, index, model, mig);
  }

  static Gpu named(String name, String uuid, int index) {
    return gpu(name, uuid, index, A100, Gpu.MigMode.DISABLED);
  }

  private static Gpu gpu(String name, String uuid, int index, GpuModel model, Gpu.MigMode mig) {
    return new Gpu(
        name,
        uuid,
        index,
        index,
        model,
        model.nominalMemoryBytes() - (431L << 20),
        "0000:0" + index + ":00.0",
        "pci0000:00",
        index / 4,
        MigState.of(mig),
        ImmutableList.of());
  }

  static Inventory node(String name, GpuModel... models) {
    return inventory(
        name,
        IntStream.range(0, models.length)
            .mapToObj(i -> gpu(i, models[i], Gpu.MigMode.DISABLED))
            .collect(ImmutableList.toImmutableList()));
  }

  static Inventory inventory(String name, ImmutableList<Gpu> gpus) {
    NodeState state = new NodeState(name, true, false, ImmutableSortedSet.of(), ImmutableMap.of());
    return new Inventory(
        state, "535.104.05", "12.2", gpus, ImmutableList.of(), new Inventory.Service.Serving());
  }

  static ClassFacts resourceClass(Optional<ParametersRef> parameters) {
    return new ClassFacts("gpu.example.com", DRIVER, false, parameters, Optional.empty());
  }

  static ClaimFacts claim(String name, Optional<ParametersRef> parameters) {
    return new ClaimFacts(
        new ClaimRef(NAMESPACE, name),
        new ClaimUid("uid-of-" + name),
        "1",
        Instant.EPOCH,
        "gpu.example.com",
        parameters,
        ClaimFacts.Mode.DELAYED,
        false,
        false,
        false,
        false,
        Optional.empty(),
        ImmutableSet.of(),
        Optional.empty());
  }

  static Optional<ParametersRef> ofClaim(String name) {
    return Optional.of(
        new ParametersRef(GpuApi.GROUP, GpuClaimParameters.KIND, Optional.of(NAMESPACE), name));
  }

  static Optional<ParametersRef> ofClass(String name) {
    return Optional.of(
        new ParametersRef(GpuApi.GROUP_VERSION, GpuClassParameters.KIND, Optional.empty(), name));
  }

  /** The cache of parameter objects, as a map. */
  static final class Objects implements ParametersObjects {
    private final Map<String, GpuClaimParameters> ofClaims = new HashMap<>();
    private final Map<String, GpuClassParameters> ofClasses = new HashMap<>();
    final Map<String, String> problems = new HashMap<>();

    Objects put(String name, GpuClaimParametersSpec spec) {
      V1ObjectMeta metadata = new V1ObjectMeta().namespace(NAMESPACE).name(name).generation(5L);
      ofClaims.put(
          NAMESPACE + "/" + name,
          new GpuClaimParameters(GpuApi.GROUP_VERSION, GpuClaimParameters.KIND, metadata, spec));
      return this;
    }

    Objects put(String name, GpuClassParametersSpec spec) {
      ofClasses.put(
          name,
          new GpuClassParameters(
              GpuApi.GROUP_VERSION, GpuClassParameters.KIND, new V1ObjectMeta().name(name), spec));
      return this;
    }

    @Override
    public Optional<GpuClaimParameters> ofClaim(String namespace, String name) {
      return Optional.ofNullable(ofClaims.get(namespace + "/" + name));
    }

    @Override
    public Optional<String> problemOfClaim(String namespace, String name) {
      return Optional.ofNullable(problems.get(namespace + "/" + name));
    }

    @Override
    public Optional<GpuClassParameters> ofClass(String name) {
      return Optional.ofNullable(ofClasses.get(name));
    }

    @Override
    public Optional<String> problemOfClass(String name) {
      return Optional.ofNullable(problems.get(name));
    }
  }

  /** Writes down what it is told. */
  static final class Alerts implements GpuAlerts {
    final List<String> told = new ArrayList<>();

    @Override
    public void unreadableHandle(
        ClaimRef ref, ClaimUid claim, Optional<String> node, String problem) {
      told.add("unreadable " + ref + " on " + node.orElse("?") + ": " + problem);
    }

    @Override
    public void strayHandle(ClaimRef ref, ClaimUid claim, Grant grant) {
      told.add("stray " + ref + " has the grant of " + grant.claim() + " on " + grant.node());
    }

    @Override
    public void conditionFailed(String expression, String problem) {
      told.add("failed " + expression);
    }

    @Override
    public void conditionBroken(String expression, String result) {
      told.add("broken " + expression + " " + result);
    }
  }
}
