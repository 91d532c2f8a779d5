package io.gpudra.controller.allocation.search;

import java.util.Optional;

/**
 * Of ways to serve a claim that are as good as each other in all else, one whose GPUs are linked:
 * from each GPU that may come first, each time one with the most links to those before. Bounded,
 * and apart from what a search may look at: it decides which GPUs, never whether. Confined to one
 * thread.
 */
public final class Linking {
  /** From each of 16 GPUs on, however many of them a claim wants. */
  private static final int MOST_STEPS = 256;

  private final Links links;
  private int left = MOST_STEPS;

  /** For one node and those who ask it together. */
  public Linking(Links links) {
    this.links = links;
  }

  /** GPUs that a claim gets, chosen one by one. */
  public interface Way<W extends Way<W>> {

    /** As bits. */
    long chosen();

    /** Whether the claim has all of its GPUs. */
    boolean isServed();

    /** GPUs that are equally good to come next, as bits; none where there is no way on. */
    long next();

    /** With one of them; empty where it leaves others without theirs. */
    Optional<W> and(int gpu);
  }

  /**
   * The way with the most links; the same every time.
   *
   * @param otherwise what is taken where none has more
   * @return empty only without {@code otherwise}
   */
  public <W extends Way<W>> Optional<W> best(W start, Optional<W> otherwise) {
    Optional<W> best = otherwise;
    for (long first = start.next(); first != 0 && mayGain(best); first &= first - 1) {
      Optional<W> way = from(start, Long.numberOfTrailingZeros(first));
      best = pairs(way) > pairs(best) ? way : best;
    }
    return best;
  }

  private <W extends Way<W>> int pairs(Optional<W> way) {
    return way.isPresent() ? links.within(way.get().chosen()) : -1;
  }

  private <W extends Way<W>> boolean mayGain(Optional<W> best) {
    int gpus = best.isPresent() ? Long.bitCount(best.get().chosen()) : 0;
    return best.isEmpty() || pairs(best) < gpus * (gpus - 1) / 2;
  }

  private <W extends Way<W>> Optional<W> from(W start, int first) {
    Optional<W> way = with(start, first);
    while (way.isPresent() && !way.get().isServed()) {
      way = onFrom(way.get());
    }
    return way;
  }

  private <W extends Way<W>> Optional<W> onFrom(W way) {
    Optional<W> then = Optional.empty();
    for (long next = way.next(); next != 0 && then.isEmpty(); ) {
      int gpu = mostLinked(next, way.chosen());
      then = with(way, gpu);
      next &= ~(1L << gpu);
    }
    return then;
  }

  private <W extends Way<W>> Optional<W> with(W way, int gpu) {
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
