package io.gpudra.controller.allocation.search;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMultiset.toImmutableMultiset;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMultiset;
import io.gpudra.controller.allocation.cutting.Effort;
import io.gpudra.controller.allocation.cutting.Layout;
import io.gpudra.controller.allocation.request.Shape;
import io.gpudra.controller.allocation.request.Wish;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.usage.Holding;
import io.gpudra.crds.usage.Usage;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** One GPU during the search: its site, and the choices since. */
public final class State {
  private static final Comparator<Pick.Made> LARGEST_FIRST =
      Comparator.comparingInt((Pick.Made made) -> made.cut().profile().size())
          .thenComparing(made -> made.cut().profile().compute())
          .reversed();

  private final Site site;
  private final ImmutableList<Pick> picks;
  private final Usage usage;
  private final ImmutableList<Slice> made;
  private final Layout layout;

  private State(
      Site site, ImmutableList<Pick> picks, Usage usage, ImmutableList<Slice> made, Layout layout) {
    this.site = site;
    this.picks = picks;
    this.usage = usage;
    this.made = made;
    this.layout = layout;
  }

  static State of(Site site) {
    return new State(site, ImmutableList.of(), site.usage(), ImmutableList.of(), site.layout());
  }

  private State and(Pick more, Usage then) {
    return new State(site, and(more), then, made, layout);
  }

  Site site() {
    return site;
  }

  ImmutableList<Pick> picks() {
    return picks;
  }

  /** Equal for states of equal GPUs that have equally much left. */
  ImmutableMultiset<Object> what() {
    return picks.stream().map(Pick::what).collect(toImmutableMultiset());
  }

  /** The next states of the GPU after each choice for the demand. */
  Stream<State> after(Demand demand, Effort effort) {
    Shape shape = demand.wish().shape();
    if (demand.isCarved()) {
      return new Inner(this, demand, effort).after();
    }
    if (shape instanceof Shape.Mig) {
      return demand.existingOf(site).isEmpty()
          ? made(demand, effort)
          : Stream.concat(existing(demand), made(demand, effort));
    }
    if (!demand.takes(site)) {
      return Stream.empty();
    }
    return shape instanceof Shape.Share share ? share(demand, share).stream() : whole(demand);
  }

  private Stream<State> whole(Demand demand) {
    return site.takesWhole() && picks.isEmpty()
        ? Stream.of(and(new Pick.Whole(demand), usage))
        : Stream.empty();
  }

  private Optional<State> share(Demand demand, Shape.Share share) {
    if (!site.takesShares() || picks.stream().anyMatch(pick -> isInTheWay(pick, demand))) {
      return Optional.empty();
    }
    Holding holding = new Holding(demand.request().uid(), part(site, demand.wish(), share));
    Usage next = usage.with(holding);
    return next.conflict().isPresent()
        ? Optional.empty()
        : Optional.of(and(new Pick.Share(demand, holding), next));
  }

  /** Shares of one claim are of different GPUs. */
  private static boolean isInTheWay(Pick pick, Demand demand) {
    return !(pick instanceof Pick.Share) || pick.by().claim().equals(demand.claim());
  }

  private static GrantedPart part(Site site, Wish wish, Shape.Share share) {
    return new GrantedPart(
        site.gpu().uuid(),
        new Part.Share(share.memoryBytes(), share.millicores()),
        wish.sharing(),
        share.overcommitPercent(),
        /* existing= */ false,
        Optional.empty(),
        wish.name());
  }

  private Stream<State> existing(Demand demand) {
    if (!site.takesSlices() || !hasOnlySlices()) {
      return Stream.empty();
    }
    ImmutableMultiset<Object> chosen = what();
    return demand.existingOf(site).stream()
        .filter(device -> !chosen.contains(device.slice()))
        .map(device -> and(new Pick.Existing(demand, device), usage));
  }

  private Stream<State> made(Demand demand, Effort effort) {
    return site.takesCuts() && hasOnlySlices() ? cut(demand, effort) : Stream.empty();
  }

  /** Each way to cut the GPU for the demand. */
  Stream<State> cut(Demand demand, Effort effort) {
    return demand.cutsOf(site).stream()
        .filter(cut -> cut.profile().compute() <= layout.computeLeft())
        .map(cut -> new Pick.Made(demand, cut, ImmutableList.of()))
        .flatMap(more -> beside(more, effort).or(() -> moved(and(more), effort)).stream());
  }

  /** With one more beside the others, which keep their places. */
  private Optional<State> beside(Pick.Made more, Effort effort) {
    return layout
        .place(ImmutableList.of(more.cut()), effort)
        .map(
            placed ->
                new State(
                    site,
                    and(more),
                    usage,
                    ImmutableList.<Slice>builder().addAll(made).addAll(placed.slices()).build(),
                    placed.then()));
  }

  /** With a compute instance made of a MIG device that is to be made. */
  Optional<State> carved(Pick.Made out, Pick.Made carved, Effort effort) {
    return moved(
        picks.stream().map(pick -> pick == out ? carved : pick).collect(toImmutableList()), effort);
  }

  /** With all of these, at any places where they fit together. */
  private Optional<State> moved(ImmutableList<Pick> all, Effort effort) {
    List<Pick.Made> toMake = toMake(all);
    List<Integer> largestFirst =
        IntStream.range(0, toMake.size())
            .boxed()
            .sorted(Comparator.comparing(toMake::get, LARGEST_FIRST))
            .toList();
    return site.layout()
        .place(
            largestFirst.stream().map(i -> toMake.get(i).cut()).collect(toImmutableList()), effort)
        .map(
            placed ->
                new State(site, all, usage, inOrder(largestFirst, placed.slices()), placed.then()));
  }

  private static ImmutableList<Slice> inOrder(List<Integer> numbers, List<Slice> slices) {
    Slice[] ordered = new Slice[slices.size()];
    for (int i = 0; i < ordered.length; i++) {
      ordered[numbers.get(i)] = slices.get(i);
    }
    return ImmutableList.copyOf(ordered);
  }

  /** With a compute instance of a MIG device that is held. */
  State inside(Pick.Inside instance) {
    return and(instance, usage);
  }

  /** The same new MIG devices on an equivalent GPU. */
  State madeOn(Site other) {
    return new State(other, picks, other.usage(), made, layout);
  }

  /** Whether no choice excludes MIG devices of others. */
  boolean hasOnlySlices() {
    for (Pick pick : picks) {
      if (pick instanceof Pick.Whole || pick instanceof Pick.Share) {
        return false;
      }
    }
    return true;
  }

  private ImmutableList<Pick> and(Pick more) {
    return ImmutableList.<Pick>builder().addAll(picks).add(more).build();
  }

  /** MIG devices that are to be made, in the order of {@link #places}. */
  ImmutableList<Pick.Made> toMake() {
    return toMake(picks);
  }

  private static ImmutableList<Pick.Made> toMake(List<Pick> picks) {
    return picks.stream()
        .flatMap(pick -> pick instanceof Pick.Made one ? Stream.of(one) : Stream.empty())
        .collect(toImmutableList());
  }

  /** The places of the MIG devices that are to be made. */
  ImmutableList<Slice> places() {
    return made;
  }

  Usage usage() {
    return usage;
  }

  /** The layout with the MIG devices that are to be made. */
  Layout layout() {
    return layout;
  }
}
