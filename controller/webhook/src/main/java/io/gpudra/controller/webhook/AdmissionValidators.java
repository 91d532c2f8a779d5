package io.gpudra.controller.webhook;

import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.ClassStore;
import io.gpudra.controller.gpu.GpuDriver;
import io.gpudra.controller.gpu.ParametersObjects;
import io.gpudra.controller.webhook.AdmissionHandler.Validator;
import io.gpudra.crds.api.GpuApi;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.api.parameters.GpuClassParameters;
import java.util.Optional;

/** The validator of each kind. */
public final class AdmissionValidators {
  private AdmissionValidators() {}

  /**
   * Validators of claims, claim templates, parameters, inventories and pods, by {@code group/Kind}.
   *
   * @param driver whose rules apply; expressions of reviews have a cache of their own
   * @param classes read from the cache, as are the objects
   * @param gates changes new pods; empty if the controller removes no gates
   */
  public static ImmutableMap<String, Validator> of(
      GpuDriver driver,
      ClassStore classes,
      ParametersObjects objects,
      InventoryAdmission inventories,
      Optional<GateAdmission> gates) {
    GpuDriver aside = driver.withSeparateCache();
    ClaimAdmission claims = new ClaimAdmission(aside, classes, objects);
    ParametersAdmission parameters = new ParametersAdmission(aside);
    ImmutableMap.Builder<String, Validator> byKind = ImmutableMap.builder();
    byKind
        .put("resource.k8s.io/ResourceClaim", (client, review) -> claims.ofClaim(review))
        .put("resource.k8s.io/ResourceClaimTemplate", (client, review) -> claims.ofTemplate(review))
        .put(
            GpuApi.GROUP + "/" + GpuClaimParameters.KIND,
            (client, review) -> parameters.ofClaim(review))
        .put(
            GpuApi.GROUP + "/" + GpuClassParameters.KIND,
            (client, review) -> parameters.ofClass(review))
        .put(GpuApi.GROUP + "/" + NodeInventory.KIND, inventories::decide);
    gates.ifPresent(gate -> byKind.put("/Pod", (client, review) -> gate.decide(review)));
    return byKind.buildOrThrow();
  }
}
