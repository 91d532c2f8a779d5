package io.gpudra.controller.allocation.placing;

import io.gpudra.controller.allocation.refusal.MigOff;
import io.gpudra.controller.allocation.search.Demand;
import io.gpudra.controller.allocation.search.Site;
import io.gpudra.crds.usage.Usage;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What GPUs that could be cut are in use for. */
record Occupation(List<Site> gpus) {

  static String of(List<Site> gpus, Demand demand) {
    Occupation on = new Occupation(gpus.stream().filter(site -> !MigOff.is(site.gpu())).toList());
    return Stream.of(
            MigOff.text(gpus.stream().map(Site::gpu).toList()),
            on.counted("in use whole", site -> site.usage().kind() == Usage.Kind.WHOLE),
            on.counted("shared", site -> site.usage().kind() == Usage.Kind.SHARED),
            on.counted("overfull", site -> site.usage().kind() == Usage.Kind.OVERFULL),
            on.full(demand))
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(", "));
  }

  private String counted(String how, Predicate<Site> which) {
    List<Site> some = gpus.stream().filter(which).toList();
    if (some.isEmpty()) {
      return "";
    }
    return (some.size() == 1 ? some.get(0).gpu().name() : some.size() + " GPUs") + " " + how;
  }

  private String full(Demand demand) {
    return full(gpus.stream().filter(Site::takesCuts).toList(), demand);
  }

  /** Of GPUs that are cut, how much is left of the one with the most. */
  static String full(List<Site> cut, Demand demand) {
    return cut.stream()
        .max(Comparator.comparingInt(site -> site.layout().memoryLeft()))
        .map(site -> full(site, demand, cut.size()))
        .orElse("");
  }

  private static String full(Site site, Demand demand, int others) {
    int left = site.layout().memoryLeft();
    boolean wouldDo = demand.cutsOf(site).stream().anyMatch(one -> one.profile().size() <= left);
    boolean fits =
        demand.cutsOf(site).stream().anyMatch(one -> site.layout().most(one.profile()) > 0);
    String apart = wouldDo && !fits ? " but not side by side" : "";
    return "%s has %d free memory slices%s%s"
        .formatted(
            site.gpu().name(), left, apart, others > 1 ? ", the most of " + others + " GPUs" : "");
  }
}
