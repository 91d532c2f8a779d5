package io.gpudra.controller.allocation.placing;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.refusal.MigOff;
import io.gpudra.controller.allocation.refusal.Shortage;
import io.gpudra.controller.allocation.refusal.Taints;
import io.gpudra.controller.allocation.request.Alternative;
import io.gpudra.controller.allocation.request.ClaimRequest;
import io.gpudra.controller.allocation.request.Shape;
import io.gpudra.controller.allocation.request.Together;
import io.gpudra.controller.allocation.request.Wish;
import io.gpudra.controller.allocation.search.Budget;
import io.gpudra.controller.allocation.search.Demand;
import io.gpudra.controller.allocation.search.Finder;
import io.gpudra.controller.allocation.search.Finder.Finding;
import io.gpudra.controller.allocation.search.Group;
import io.gpudra.controller.allocation.search.Question;
import io.gpudra.controller.allocation.search.Site;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.model.Sharing;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.usage.Usage;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The text of the nearest miss of one alternative of a claim on a node.
 *
 * @param budget for all texts about the claim
 */
record Miss(Question question, ClaimRequest claim, Alternative alternative, Budget budget) {
  private static final int MAX_LISTED = 12;

  String text() {
    String taint = Taints.text(question.sites().stream().map(Site::gpu).toList(), claim);
    return taint.isEmpty() ? untainted() : untainted() + "; " + taint;
  }

  /** The first wish that fails alone, else the reason why the wishes do not fit together. */
  private String untainted() {
    for (Wish wish : alternative.wishes()) {
      Alternative alone = new Alternative(ImmutableList.of(wish), Together.ANYHOW);
      if (!isFound(alone)) {
        return wish.name().map(name -> "request " + name + ": ").orElse("") + text(wish);
      }
    }
    if (alternative.together().isAnyhow() && alternative.wishes().size() == 1) {
      return Shortage.ROOM_BY_NOW;
    }
    return alternative.together().isAnyhow()
        ? "each request fits alone, but not all of them together"
        : together();
  }

  private boolean isFound(Alternative only) {
    ClaimRequest asked = claim.with(ImmutableList.of(only));
    return Finder.find(question.with(asked), budget) instanceof Finding.Found;
  }

  private String text(Wish wish) {
    Demand demand = Demand.of(question.asking(claim), wish, Group.ALL, question);
    if (claim.inside().isPresent()) {
      return new InnerMiss(question, claim, demand).text();
    }
    if (wish.shape() instanceof Shape.Mig mig) {
      return mig(mig, demand);
    }
    List<Site> matching = matching(demand);
    if (matching.isEmpty()) {
      return none(wish);
    }
    return wish.shape() instanceof Shape.Share share
        ? share(share, wish, matching)
        : whole(wish, matching);
  }

  private List<Site> matching(Demand demand) {
    return question.sites().stream().filter(demand::takes).toList();
  }

  private String none(Wish wish) {
    int total = question.sites().size();
    String wanted = wish.condition().text();
    if (total == 0) {
      return "node has no GPUs";
    }
    return "none of %d GPUs %s"
        .formatted(total, wanted.isEmpty() ? "can be allocated" : "matches " + wanted);
  }

  private static String whole(Wish wish, List<Site> matching) {
    long free = matching.stream().filter(Site::takesWhole).count();
    return wish.all()
        ? "%d of %d matching GPUs free, all wanted".formatted(free, matching.size())
        : "%d of %d matching GPUs free, %d wanted".formatted(free, matching.size(), wish.count());
  }

  private String share(Shape.Share share, Wish wish, List<Site> matching) {
    List<Site> takers = matching.stream().filter(Site::takesShares).toList();
    if (takers.isEmpty()) {
      return "%s in use whole or cut into MIG devices".formatted(all(matching.size()));
    }
    List<Site> agreeing = takers.stream().filter(site -> agrees(site, wish.sharing())).toList();
    if (agreeing.isEmpty()) {
      Site first = takers.get(0);
      return "%s is shared with %s, the claim wants %s"
          .formatted(first.gpu().name(), text(setting(first)), text(wish.sharing()));
    }
    return most(share, wish, agreeing);
  }

  private static String all(int gpus) {
    return gpus == 1 ? "the only matching GPU is" : "all %d matching GPUs are".formatted(gpus);
  }

  private static boolean agrees(Site site, Sharing sharing) {
    return site.usage().holdings().isEmpty() || setting(site).equals(sharing.setting());
  }

  private static Sharing setting(Site site) {
    return site.usage().holdings().iterator().next().part().sharing().setting();
  }

  private static String text(Sharing sharing) {
    return sharing instanceof Sharing.TimeSlicing slicing
        ? slicing.strategy() + " " + slicing.interval().text()
        : sharing.strategy();
  }

  private static String most(Shape.Share share, Wish wish, List<Site> takers) {
    Site most = takers.stream().max(Comparator.comparingLong(Miss::memoryLeft)).orElseThrow();
    if (memoryLeft(most) < share.memoryBytes()) {
      return "needs %s, the most that is left of one GPU is %s (%s)"
          .formatted(
              MemorySize.text(share.memoryBytes()),
              MemorySize.text(memoryLeft(most)),
              most.gpu().name());
    }
    long roomy = takers.stream().filter(site -> memoryLeft(site) >= share.memoryBytes()).count();
    if (roomy < wish.count()) {
      return "%s left on %d of %d wanted GPUs"
          .formatted(MemorySize.text(share.memoryBytes()), roomy, wish.count());
    }
    return wish.count() == 1
        ? "no GPU has %d millicores left, or it has too many shares".formatted(share.millicores())
        : "fewer than %d GPUs have %d millicores left, or they have too many shares"
            .formatted(wish.count(), share.millicores());
  }

  private static long memoryLeft(Site site) {
    return Math.max(0, Site.memoryLeft(site.gpu(), site.usage()));
  }

  private String mig(Shape.Mig mig, Demand demand) {
    String wanted = mig.profile().orElse("MIG device");
    List<Site> matching = question.sites().stream().filter(site -> offers(demand, site)).toList();
    if (matching.isEmpty()) {
      return notOffered(mig, demand.wish());
    }
    int room = matching.stream().mapToInt(site -> Supply.of(demand, site)).sum();
    if (room > 0) {
      return "room for %d of %d wanted %s".formatted(room, demand.count(), wanted);
    }
    return "%s fits on no GPU: %s".formatted(wanted, Occupation.of(matching, demand));
  }

  private static boolean offers(Demand demand, Site site) {
    return !demand.cutsOf(site).isEmpty() || !demand.existingOf(site).isEmpty();
  }

  private String notOffered(Shape.Mig mig, Wish wish) {
    ImmutableList<String> offered =
        question.sites().stream()
            .flatMap(site -> site.layout().profiles().stream())
            .map(MigProfile::name)
            .distinct()
            .sorted()
            .collect(toImmutableList());
    Optional<String> profile = mig.gpuInstance();
    if (offered.isEmpty()) {
      return "no GPU of the node can be cut into MIG devices" + off();
    }
    if (profile.isPresent() && !offered.contains(profile.get())) {
      return "no GPU offers %s%s%s"
          .formatted(
              profile.get(),
              offered.size() <= MAX_LISTED ? "; offered: " + String.join(", ", offered) : "",
              off());
    }
    return wish.condition().text().isEmpty()
        ? "no MIG device can be allocated"
        : "no MIG device matches " + wish.condition().text();
  }

  /** GPUs whose profiles are unknown while MIG mode is off. */
  private String off() {
    String off =
        MigOff.text(
            question.sites().stream()
                .map(Site::gpu)
                .filter(gpu -> gpu.model().migProfiles().isEmpty())
                .toList());
    return off.isEmpty() ? "" : "; " + off;
  }

  private String together() {
    Together together = alternative.together();
    String what =
        together
            .topology()
            .map(linked -> connected(linked.by()))
            .orElseGet(
                () ->
                    "agree in "
                        + together.same().stream()
                            .map(alike -> alike.attribute())
                            .collect(Collectors.joining(", ")));
    Wish wish = alternative.wishes().get(0);
    List<Demand> groups =
        Group.of(question.inventory(), together, budget).stream()
            .takeWhile(unused -> budget.spend())
            .map(group -> Demand.of(question.asking(claim), wish, group, question))
            .toList();
    long free = free(Demand.of(question.asking(claim), wish, Group.ALL, question));
    long best = groups.stream().mapToLong(this::free).max().orElse(0);
    return wish.shape() instanceof Shape.Whole
        ? "%d of %d free GPUs %s".formatted(best, free, what)
        : "no devices that %s are left".formatted(what);
  }

  private long free(Demand demand) {
    return matching(demand).stream().filter(Site::takesWhole).count();
  }

  private static String connected(Together.By by) {
    return switch (by) {
      case NVLINK -> "are NVLink-connected";
      case PCIE -> "are on the same PCIe root";
      case NUMA -> "are on the same NUMA node";
    };
  }

  /** The use of GPUs that could be cut. */
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

    /** The free memory slices of the cut GPU with the most. */
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
              site.gpu().name(),
              left,
              apart,
              others > 1 ? ", the most of " + others + " GPUs" : "");
    }
  }
}
