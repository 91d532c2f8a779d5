package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMultiset.toImmutableMultiset;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import io.gpudra.controller.allocation.cutting.Cut;
import io.gpudra.controller.allocation.cutting.Layout;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Sharing;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.usage.Usage;
import java.util.List;

/**
 * What of a GPU makes a difference to a search: two of one kind can stand in for each other.
 *
 * @param forEach what each demand can have of it
 */
record Kind(
    GpuModel model,
    long memoryBytes,
    Usage.Kind taken,
    MigMode mode,
    boolean takesCuts,
    boolean obstructed,
    Layout layout,
    ImmutableMultiset<Held> held,
    ImmutableSet<Parent> parents,
    ImmutableList<ForDemand> forEach) {

  record Parent(ClaimUid claim, Part part) {}

  record Held(Part part, Sharing setting, int overcommitPercent) {}

  record ForDemand(boolean whole, ImmutableList<Cut> cuts, ImmutableList<Part.Slice> existing) {}

  static Kind of(Site site, List<Demand> demands) {
    return new Kind(
        site.gpu().model(),
        site.gpu().memoryBytes(),
        site.usage().kind(),
        site.gpu().mig().mode(),
        site.takesCuts(),
        site.obstructed(),
        site.layout(),
        site.usage().holdings().stream()
            .map(holding -> held(holding.part()))
            .collect(toImmutableMultiset()),
        site.parents().stream()
            .map(holding -> new Parent(holding.claim(), holding.part().part()))
            .collect(toImmutableSet()),
        demands.stream().map(demand -> forDemand(site, demand)).collect(toImmutableList()));
  }

  private static Held held(GrantedPart part) {
    return new Held(part.part(), part.sharing().setting(), part.overcommitPercent());
  }

  private static ForDemand forDemand(Site site, Demand demand) {
    return new ForDemand(
        demand.takes(site),
        demand.cutsOf(site),
        demand.existingOf(site).stream().map(MigState.Device::slice).collect(toImmutableList()));
  }
}
