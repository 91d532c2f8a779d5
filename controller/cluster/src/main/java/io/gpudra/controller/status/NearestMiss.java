package io.gpudra.controller.status;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.DeviceConstraints;
import io.gpudra.controller.allocation.request.DeviceKind;
import io.gpudra.controller.allocation.request.DeviceSubRequest;
import io.gpudra.controller.allocation.request.RequestAlternative;
import io.gpudra.controller.allocation.search.SearchBudget;
import io.gpudra.controller.gpu.ParametersReader;
import io.gpudra.controller.gpu.RelaxedCondition;
import io.gpudra.crds.model.MemorySize;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Optional;
import java.util.OptionalInt;

/** The part of a condition that excludes the most devices, when no device satisfies all of it. */
record NearestMiss(
    ParametersReader reader, GpuNodes gpuNodes, ParametersMatch match, SearchBudget budget) {

  private static final int MAX_CHARACTERS = 200;

  private record WithoutTerm(RelaxedCondition relaxed, int devices) {}

  /**
   * At most one line, about the first sub-request: the part of the condition without which devices
   * match. Empty when the budget is spent.
   */
  ImmutableList<String> lines() {
    DeviceSubRequest first = match.wanted().get(0).subRequests().get(0);
    Optional<String> nearest =
        reader.relaxed(first).stream()
            .map(one -> new WithoutTerm(one, devices(first, one)))
            .filter(without -> without.devices() > 0)
            .max(Comparator.comparingInt(WithoutTerm::devices))
            .map(without -> text(first, without));
    return budget.isOver() ? ImmutableList.of() : nearest.stream().collect(toImmutableList());
  }

  private int devices(DeviceSubRequest subRequest, RelaxedCondition relaxed) {
    DeviceSubRequest other =
        new DeviceSubRequest(
            subRequest.name(),
            subRequest.count(),
            subRequest.all(),
            subRequest.kind(),
            relaxed.rest(),
            subRequest.sharing(),
            subRequest.pinned());
    ClaimRequest claim =
        ParametersMatch.anyClaim(
            ImmutableList.of(
                new RequestAlternative(ImmutableList.of(other), DeviceConstraints.ANYHOW)));
    Iterator<GpuNodes.Kind> kinds = ParametersMatch.asked(gpuNodes, match.apart()).iterator();
    int devices = 0;
    while (kinds.hasNext() && !budget.isOver()) {
      GpuNodes.Kind kind = kinds.next();
      OptionalInt supply = ParametersMatch.supply(kind, claim, budget);
      if (supply.isEmpty()) {
        return 0;
      }
      devices += kind.nodes() * supply.getAsInt();
    }
    return devices;
  }

  private String text(DeviceSubRequest subRequest, WithoutTerm without) {
    String what = subRequest.kind() instanceof DeviceKind.Mig ? "MIG device" : "GPU";
    String largest =
        without.relaxed().ofMemory()
            ? "; largest is " + MemorySize.text(gpuNodes.clusterCapacity().largestNominalBytes())
            : "";
    return "%d %s without %s%s"
        .formatted(
            without.devices(),
            without.devices() == 1 ? what + " matches" : what + "s match",
            Ascii.truncate(without.relaxed().part(), MAX_CHARACTERS, "…"),
            largest);
  }
}
