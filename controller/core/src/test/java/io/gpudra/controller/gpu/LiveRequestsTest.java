package io.gpudra.controller.gpu;

import static io.gpudra.controller.gpu.GpuSamples.claim;
import static io.gpudra.controller.gpu.GpuSamples.ofClaim;
import static io.gpudra.controller.gpu.GpuSamples.ofClass;
import static io.gpudra.controller.gpu.GpuSamples.resourceClass;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.gson.Gson;
import io.gpudra.controller.allocation.GrantAudit;
import io.gpudra.controller.allocation.Ledgers;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.api.parameters.PlacementPolicy;
import io.gpudra.crds.api.parameters.TolerationSpec;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Claims that wait for the same hold one request, which is evaluated once. */
class LiveRequestsTest {
  private static final ClassFacts CLASS = resourceClass(Optional.empty());

  private final GpuSamples.Objects objects = new GpuSamples.Objects();
  private final GpuDriver driver =
      new GpuDriver(
          DeviceSamples.DRIVER,
          objects,
          new Ledgers(),
          () -> new GrantAudit(1, Instant.EPOCH),
          new GpuSamples.Alerts());

  private DriverParameters<GpuRequest> read(ClassFacts resourceClass, String name) {
    return driver.parameters(resourceClass, claim(name, ofClaim(name)));
  }

  private GpuRequest request(String name) {
    return ((DriverParameters.Ready<GpuRequest>) read(CLASS, name)).value();
  }

  private GpuRequest request(String name, GpuClaimParametersSpec spec) {
    objects.put(name, spec);
    return request(name);
  }

  private static GpuClaimParametersSpec gpus(int count) {
    return GpuClaimParametersSpec.of(count, "40Gi", null, false, null);
  }

  private static GpuClaimParametersSpec tolerating(String key) {
    TolerationSpec toleration = new TolerationSpec(key, TolerationSpec.EXISTS, null, null, null);
    return new GpuClaimParametersSpec(
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        ImmutableList.of(toleration),
        null);
  }

  @Test
  void equalRequestsAreOneObject() {
    GpuRequest first = request("a", gpus(1));

    assertThat(request("a", gpus(1))).isSameAs(first);
    assertThat(request("b", gpus(1))).isSameAs(first);
    assertThat(request("a", gpus(2))).isNotEqualTo(first);
  }

  @Test
  void parametersOfWhichTheRequestIsHeldAreEvaluatedOnce() {
    GpuRequest held = request("a", gpus(1));
    objects.lookups = 0;

    assertThat(request("a")).isSameAs(held);
    assertThat(objects.lookups).as("to find the request, none to evaluate it").isOne();
  }

  @Test
  void anotherClassIsEvaluatedAnew() {
    GpuRequest held = request("a", gpus(1));
    objects.put(
        "spread",
        new GpuClassParametersSpec(
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            PlacementPolicy.SPREAD,
            null,
            null,
            null,
            null,
            null));

    assertThat(read(resourceClass(ofClass("spread")), "a"))
        .isNotEqualTo(new DriverParameters.Ready<>(held));
  }

  @Test
  void anotherModeIsEvaluatedAnew() {
    GpuRequest held =
        request(
            "a",
            new Gson()
                .fromJson(
                    "{'migProfile':'1g.10gb','insideClaim':'gpu'}", GpuClaimParametersSpec.class));
    ClaimFacts immediate = GpuSamples.immediate(claim("a", ofClaim("a")));

    assertThat(driver.parameters(CLASS, immediate))
        .isNotEqualTo(new DriverParameters.Ready<>(held))
        .isInstanceOf(DriverParameters.Refused.class);
  }

  @Test
  void theSizeOfParametersGrowsWithTheirTexts() {
    String key = "x".repeat(60);

    assertThat(
            driver.bytes(request("a", tolerating(key)))
                - driver.bytes(request("b", GpuClaimParametersSpec.EMPTY)))
        .isGreaterThan(2L * key.length());
  }
}
