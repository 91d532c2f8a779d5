package io.gpudra.controller.gpu;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.dra.Parameters;
import io.gpudra.controller.dra.PendingClaim;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.facts.ClassFacts;
import io.gpudra.controller.gpu.cel.ConditionAlerts;
import io.gpudra.controller.gpu.cel.Expressions;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.GpuClassParametersSpec;
import io.gpudra.crds.model.ClaimUid;

/** What the driver finds wrong with claims and parameters before it looks at any node. */
public final class GpuChecks {

  private final String driver;
  private final Expressions expressions;
  private final Requests alone;

  /** For claims of the driver of this name. */
  public GpuChecks(String driver) {
    this.driver = driver;
    this.expressions = new Expressions(driver, new NoDevice());
    this.alone = new Requests(driver, NoParameters.AT_ALL, expressions);
  }

  /** Conditions are compiled, and there is no device on which one could fail. */
  private record NoDevice() implements ConditionAlerts {

    @Override
    public void conditionFailed(String expression, String problem) {}

    @Override
    public void conditionBroken(String expression, String result) {}
  }

  /** What is wrong with the parameters of a claim, whatever its class is; each with its path. */
  public ImmutableList<String> problems(GpuClaimParametersSpec spec) {
    return alone.problems(spec);
  }

  /** What is wrong with the parameters of a class; each with its path. */
  public ImmutableList<String> problems(GpuClassParametersSpec spec) {
    return alone.problems(spec);
  }

  /** What becomes of class and claim together, as {@link GpuDriver#parameters} has it. */
  public Parameters<GpuRequest> parameters(
      ParametersObjects objects, ClassFacts resourceClass, ClaimFacts claim) {
    return new Requests(driver, objects, expressions).read(resourceClass, claim);
  }

  /** What is wrong with how a pod uses its claims, as {@link GpuDriver#problems} has it. */
  public ImmutableMap<ClaimUid, ImmutableList<String>> problems(
      ImmutableList<PendingClaim<GpuRequest>> claimsOfOnePod) {
    return new PodRules(driver, claimsOfOnePod).problems();
  }
}
