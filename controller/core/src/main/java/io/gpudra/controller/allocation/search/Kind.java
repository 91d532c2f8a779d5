package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableMultiset.toImmutableMultiset;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.cutting.Layout;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Sharing;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.usage.Holding;
import io.gpudra.crds.usage.Usage;
import java.util.List;

/** What of a GPU makes a difference to a search, whatever is searched. */
record Kind(
    long nominalMemoryBytes,
    long memoryBytes,
    Usage.Kind taken,
    MigMode mode,
    boolean switchable,
    boolean obstructed,
    Layout layout,
    ImmutableMultiset<Held> held,
    ImmutableSet<Parent> parents) {

  record Parent(ClaimUid claim, Part part, ImmutableSet<DeviceTaint> taints) {}

  record Held(Part part, Sharing setting, int overcommitPercent) {}

  static Kind of(Gpu gpu, Usage usage, Layout layout, boolean obstructed, List<Holding> parents) {
    return new Kind(
        gpu.model().nominalMemoryBytes(),
        gpu.memoryBytes(),
        usage.kind(),
        gpu.mig().mode(),
        gpu.mig().switchable(),
        obstructed,
        layout,
        usage.holdings().stream()
            .map(holding -> held(holding.part()))
            .collect(toImmutableMultiset()),
        parents.stream().map(holding -> parent(gpu, holding)).collect(toImmutableSet()));
  }

  private static Parent parent(Gpu gpu, Holding holding) {
    Part part = holding.part().part();
    return new Parent(
        holding.claim(),
        part,
        part instanceof Part.Slice slice ? gpu.mig().taintsIn(slice) : ImmutableSet.of());
  }

  private static Held held(GrantedPart part) {
    return new Held(part.part(), part.sharing().setting(), part.overcommitPercent());
  }
}
