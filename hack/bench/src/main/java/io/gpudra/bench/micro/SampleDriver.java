package io.gpudra.bench.micro;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.gpudra.bench.sample.SampleNode;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.dra.facts.ParametersRef;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.GpuRequest;
import io.gpudra.controller.gpu.ParametersObjects;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The driver without a cluster.
 *
 * @param ledgers what it judges by
 */
record SampleDriver(GpuDriver driver, Ledgers ledgers) {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(JsonReadFeature.ALLOW_SINGLE_QUOTES).build();

  private static final ClassFacts CLASS =
      new ClassFacts("gpus", SampleNode.DRIVER, false, Optional.empty(), Optional.empty());

  /**
   * Knows no node.
   *
   * @param parameters that claims can refer to, by name
   */
  static SampleDriver with(ImmutableMap<String, GpuClaimParametersSpec> parameters) {
    Ledgers ledgers = new Ledgers();
    return new SampleDriver(
        new GpuDriver(
            SampleNode.DRIVER,
            new Given(parameters),
            ledgers,
            () -> new GrantAudit(1, Instant.EPOCH),
            new Alarm()),
        ledgers);
  }

  /** So many GPUs that satisfy a condition. */
  static GpuClaimParametersSpec where(int count, String cel) {
    return GpuClaimParametersSpec.of(count, null, cel, null, null);
  }

  /** What is written as JSON, in single quotes. */
  static GpuClaimParametersSpec spec(String json) {
    try {
      return JSON.readValue(json, GpuClaimParametersSpec.class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not a spec: " + json, e);
    }
  }

  /** Some claim has the device. */
  void hold(String node, GrantedDevice device) {
    ClaimRef ref = new ClaimRef("default", node + "-" + device.name());
    ClaimUid uid = new ClaimUid("uid-of-" + ref);
    ImmutableList<GrantedDevice> devices = ImmutableList.of(device);
    Grant grant = new Grant(uid, node, 1, OptionalLong.empty(), Instant.EPOCH, devices);
    ledgers.observe(ref, uid, Optional.of(grant));
  }

  /** A claim that waits and refers to these parameters. */
  PendingClaim<GpuRequest> pending(String parameters) {
    return pending(parameters, parameters);
  }

  /** The same of another name. */
  PendingClaim<GpuRequest> pending(String parameters, String name) {
    ClaimFacts claim = claim(parameters, name);
    if (driver.parameters(CLASS, claim) instanceof DriverParameters.Ready<GpuRequest> ready) {
      return new PendingClaim<>(claim, CLASS, ready.value());
    }
    throw new IllegalArgumentException("parameters are not usable: " + parameters);
  }

  private static ClaimFacts claim(String parameters, String name) {
    return new ClaimFacts(
        new ClaimRef("default", "wants-" + name),
        new ClaimUid("uid-of-" + name),
        "1",
        Instant.EPOCH,
        CLASS.name(),
        Optional.of(
            new ParametersRef(
                GpuApi.GROUP, GpuClaimParameters.KIND, Optional.of("default"), parameters)),
        ClaimFacts.Mode.DELAYED,
        false,
        false,
        false,
        false,
        Optional.empty(),
        /* mayStillBePrepared= */ false,
        ImmutableSet.of(),
        Optional.empty());
  }

  private record Given(ImmutableMap<String, GpuClaimParametersSpec> specs)
      implements ParametersObjects {

    @Override
    public Optional<GpuClaimParameters> ofClaim(String namespace, String name) {
      return Optional.ofNullable(specs.get(name))
          .map(spec -> new GpuClaimParameters(null, null, null, spec));
    }

    @Override
    public Optional<GpuClassParameters> ofClass(String name) {
      return Optional.empty();
    }

    @Override
    public Optional<ImmutableMap<String, String>> labelsOfNamespace(String namespace) {
      return Optional.empty();
    }
  }
}
