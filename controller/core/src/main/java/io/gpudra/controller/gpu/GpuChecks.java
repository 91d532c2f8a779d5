package io.gpudra.controller.gpu;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.DriverParameters;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.gpu.cel.ConditionAlerts;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.model.ClaimUid;

/** The checks of claims and parameters that need no node. */
public final class GpuChecks {

  private final String driver;
  private final ConditionCompiler conditionCompiler;
  private final ParametersResolver alone;

  /** Checks for claims of the driver of this name. */
  public GpuChecks(String driver) {
    this.driver = driver;
    this.conditionCompiler = new ConditionCompiler(driver, new NoDevice());
    this.alone = new ParametersResolver(driver, NoParameters.AT_ALL, conditionCompiler);
  }

  /** Conditions are only compiled: there is no device on which one could fail. */
  private record NoDevice() implements ConditionAlerts {

    @Override
    public void conditionFailed(String expression, String problem) {}

    @Override
    public void conditionBroken(String expression, String result) {}
  }

  /** The problems of the parameters of a claim, regardless of its class; each with its path. */
  public ImmutableList<String> problems(GpuClaimParametersSpec spec) {
    return alone.problems(spec);
  }

  /** The problems of the parameters of a class; each with its path. */
  public ImmutableList<String> problems(GpuClassParametersSpec spec) {
    return alone.problems(spec);
  }

  /** The request of class and claim together, as {@link GpuDriver#parameters} reads it. */
  public DriverParameters<GpuRequest> parameters(
      ParametersObjects objects, ClassFacts resourceClass, ClaimFacts claim) {
    return new ParametersResolver(driver, objects, conditionCompiler).read(resourceClass, claim);
  }

  /** The problems of how a pod uses its claims, as {@link GpuDriver#problems} finds them. */
  public ImmutableMap<ClaimUid, ImmutableList<String>> problems(
      ImmutableList<PendingClaim<GpuRequest>> claimsOfOnePod) {
    return new PodRules(driver, claimsOfOnePod).problems();
  }
}
