package io.gpudra.controller.allocation.search;

import java.util.Optional;

/**
 * Prefers linked GPUs among choices that are otherwise equally good. It starts from each possible
 * first GPU and always adds one with the most links to those before. Its effort has a bound of its
 * own, beside the search budget. It affects which GPUs a claim gets, never whether it gets any.
 * Confined to one thread.
 */
public final class LinkOptimizer {
  /** Enough for each of 16 first GPUs and any number of further GPUs. */
  private static final int MAX_STEPS = 256;

  private final LinkGraph links;
  private int left = MAX_STEPS;

  /** For one node and one search problem. */
  public LinkOptimizer(LinkGraph links) {
    this.links = links;
  }

  /** The GPUs of a claim, chosen one by one. */
  public interface Assignment<W extends Assignment<W>> {

    /** The GPUs chosen so far, as bits. */
    long chosen();

    /** Whether the claim has all its GPUs. */
    boolean isServed();

    /** The GPUs that are equally good as the next, as bits; none at a dead end. */
    long next();

    /** The choice with this GPU added; empty when other claims are then left without GPUs. */
    Optional<W> and(int gpu);
  }

  /**
   * The choice with the most links; deterministic.
   *
   * @param otherwise the choice when no other one has more links
   * @return empty only without {@code otherwise}
   */
  public <W extends Assignment<W>> Optional<W> best(W start, Optional<W> otherwise) {
    Optional<W> best = otherwise;
    for (long first = start.next(); first != 0 && mayGain(best); first &= first - 1) {
      Optional<W> way = from(start, Long.numberOfTrailingZeros(first));
      best = pairs(way) > pairs(best) ? way : best;
    }
    return best;
  }

  private <W extends Assignment<W>> int pairs(Optional<W> way) {
    return way.isPresent() ? links.within(way.get().chosen()) : -1;
  }

  private <W extends Assignment<W>> boolean mayGain(Optional<W> best) {
    int gpus = best.isPresent() ? Long.bitCount(best.get().chosen()) : 0;
    return best.isEmpty() || pairs(best) < gpus * (gpus - 1) / 2;
  }

  private <W extends Assignment<W>> Optional<W> from(W start, int first) {
    Optional<W> way = with(start, first);
    while (way.isPresent() && !way.get().isServed()) {
      way = onFrom(way.get());
    }
    return way;
  }

  private <W extends Assignment<W>> Optional<W> onFrom(W way) {
    Optional<W> then = Optional.empty();
    for (long next = way.next(); next != 0 && then.isEmpty(); ) {
      int gpu = mostLinked(next, way.chosen());
      then = with(way, gpu);
      next &= ~(1L << gpu);
    }
    return then;
  }

  private <W extends Assignment<W>> Optional<W> with(W way, int gpu) {
    left--;
    return left >= 0 ? way.and(gpu) : Optional.empty();
  }

  private int mostLinked(long candidates, long chosen) {
    int most = Long.numberOfTrailingZeros(candidates);
    for (long rest = candidates & candidates - 1; rest != 0; rest &= rest - 1) {
      int gpu = Long.numberOfTrailingZeros(rest);
      boolean more = Long.bitCount(links.of(gpu) & chosen) > Long.bitCount(links.of(most) & chosen);
      most = more ? gpu : most;
    }
    return most;
  }
}
