package io.gpudra.controller.allocation.placing;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.placing.Miss.Occupation;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.ClaimRequest.Parent;
import io.gpudra.controller.allocation.request.Shape;
import io.gpudra.controller.allocation.search.Asking;
import io.gpudra.controller.allocation.search.Demand;
import io.gpudra.controller.allocation.search.Group;
import io.gpudra.controller.allocation.search.Question;
import io.gpudra.controller.allocation.search.Site;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.Gpu.MigMode;
import java.util.List;
import java.util.stream.Stream;

/** The text that explains why no device can be carved for a claim out of its parent. */
final class InnerMiss {
  private final Question question;
  private final Parent parent;
  private final Demand demand;

  /** The demands of the parent, if it is in question, too, and has no device yet. */
  private final ImmutableList<Demand> wanted;

  InnerMiss(Question question, ClaimRequest claim, Demand demand) {
    this.question = question;
    this.parent = claim.inside().orElseThrow();
    this.demand = demand;
    this.wanted =
        question.claims().stream()
            .filter(one -> one.request().uid().equals(parent.uid()))
            .flatMap(this::demands)
            .collect(toImmutableList());
  }

  private Stream<Demand> demands(Asking claim) {
    return claim.request().alternatives().stream()
        .flatMap(alternative -> alternative.wishes().stream())
        .map(wish -> Demand.of(claim, wish, Group.ALL, question));
  }

  String text() {
    String name = parent.ref().name();
    List<Site> divided = question.sites().stream().filter(this::canBeDivided).toList();
    if (divided.isEmpty()) {
      return "spec.insideClaim: \"%s\" holds no %s"
          .formatted(
              name,
              isForInstance()
                  ? "MIG device " + gpuInstance() + " that can be divided"
                  : "MIG-enabled GPU; select it with cel: device.migEnabled");
    }
    String profile = mig().profile().orElse("a MIG device");
    return "%s not fit into what \"%s\" holds%s"
        .formatted(
            demand.count() == 1 ? profile + " does" : demand.count() + " of " + profile + " do",
            name,
            isForInstance() ? "" : ": " + Occupation.full(divided, demand));
  }

  private Shape.Mig mig() {
    return (Shape.Mig) demand.wish().shape();
  }

  private boolean isForInstance() {
    return demand.instance().isPresent();
  }

  private String gpuInstance() {
    return mig().gpuInstance().orElseThrow();
  }

  private boolean canBeDivided(Site site) {
    return isForInstance()
        ? site.heldBy(parent.uid()).anyMatch(this::isGpuInstance)
            || wanted.stream().anyMatch(one -> cuts(one, site))
        : site.gpu().mig().mode() == MigMode.ENABLED
            && (site.heldBy(parent.uid()).anyMatch(part -> part instanceof Part.Whole)
                || wanted.stream().anyMatch(one -> one.takes(site)));
  }

  private boolean isGpuInstance(Part part) {
    return part instanceof Part.Slice slice && slice.profile().equals(gpuInstance());
  }

  private boolean cuts(Demand ofParent, Site site) {
    return ofParent.instance().isEmpty()
        && ofParent.cutsOf(site).stream()
            .anyMatch(cut -> cut.profile().name().equals(gpuInstance()));
  }
}
