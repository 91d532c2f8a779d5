package io.gpudra.controller.allocation.placing;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.cutting.Layout;
import io.gpudra.controller.allocation.refusal.Cause;
import io.gpudra.controller.allocation.refusal.Refusal;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.Shape;
import io.gpudra.controller.allocation.request.Wish;
import io.gpudra.controller.allocation.search.Question;
import io.gpudra.controller.allocation.search.Site;
import io.gpudra.crds.model.node.MigProfile;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Claims of a pod that are carved out of the same claim and want more than a GPU has.
 *
 * @param profiles of their MIG devices, each as often as it is wanted
 */
record Siblings(ClaimRequest claim, ImmutableList<String> profiles) {

  static Siblings of(ClaimRequest claim, List<ClaimRequest> all) {
    return new Siblings(
        claim,
        all.stream()
            .filter(other -> claim.inside().isPresent() && other.inside().equals(claim.inside()))
            .filter(other -> other.alternatives().size() == 1)
            .flatMap(other -> other.alternatives().get(0).wishes().stream())
            .flatMap(Siblings::profiles)
            .collect(toImmutableList()));
  }

  private static Stream<String> profiles(Wish wish) {
    return wish.shape() instanceof Shape.Mig mig && mig.instance().isEmpty()
        ? mig.gpuInstance().stream().flatMap(one -> Collections.nCopies(wish.count(), one).stream())
        : Stream.empty();
  }

  /** Empty when some GPU of the node has the memory slices for all of them. */
  Optional<Refusal> refusal(Question question) {
    List<Layout> possible =
        question.sites().stream().map(Site::layout).filter(this::offersAll).distinct().toList();
    return profiles.isEmpty()
            || possible.isEmpty()
            || possible.stream().anyMatch(layout -> wanted(layout) <= layout.memory())
        ? Optional.empty()
        : Optional.of(refusal(possible.get(0)));
  }

  private Refusal refusal(Layout layout) {
    return Refusal.stated(
        Cause.NOT_TOGETHER,
        "spec.insideClaim: the pod asks %s of \"%s\"; together they need %s of %s memory slices",
        String.join(" + ", profiles),
        claim.inside().orElseThrow().ref().name(),
        wanted(layout),
        layout.memory());
  }

  private boolean offersAll(Layout layout) {
    return layout.profiles().stream().map(MigProfile::name).toList().containsAll(profiles);
  }

  private int wanted(Layout layout) {
    return profiles.stream()
        .flatMap(name -> layout.profiles().stream().filter(one -> one.name().equals(name)))
        .mapToInt(MigProfile::size)
        .sum();
  }
}
