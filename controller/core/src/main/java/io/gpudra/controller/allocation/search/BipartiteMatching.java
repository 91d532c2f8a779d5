package io.gpudra.controller.allocation.search;

import java.util.Arrays;

/**
 * Several claims that request disjoint devices: for each claim a mask of candidates, and the number
 * of devices. The result is exact: it uses augmenting paths in the bipartite graph of claims and
 * devices, so the cost grows with claims × devices² and not with the number of combinations.
 */
public final class BipartiteMatching {

  private static final int UNASSIGNED = -1;

  private final long[] candidates;
  private final int[] wanted;

  public BipartiteMatching(long[] candidates, int[] wanted) {
    this.candidates = candidates.clone();
    this.wanted = wanted.clone();
  }

  /** Whether all claims can have their devices at once. */
  public boolean satisfiable() {
    return roomy() || new Search().satisfied();
  }

  /** The common case: each claim has enough candidates even if all others come first. */
  private boolean roomy() {
    int all = 0;
    for (int one : wanted) {
      all += one;
    }
    for (int claim = 0; claim < wanted.length; claim++) {
      if (wanted[claim] > 0 && Long.bitCount(candidates[claim]) < all) {
        return false;
      }
    }
    return true;
  }

  /** The remaining demands after the claim gets the device. */
  public BipartiteMatching after(int claim, int device) {
    BipartiteMatching rest = new BipartiteMatching(candidates, wanted);
    rest.wanted[claim]--;
    for (int i = 0; i < rest.candidates.length; i++) {
      rest.candidates[i] &= ~(1L << device);
    }
    return rest;
  }

  public boolean wants(int claim) {
    return wanted[claim] > 0;
  }

  public long candidates(int claim) {
    return candidates[claim];
  }

  /** The number of candidates that a claim can lose; the least is the most constrained claim. */
  public int slack(int claim) {
    return Long.bitCount(candidates[claim]) - wanted[claim];
  }

  private final class Search {
    private final int[] holder = new int[Long.SIZE];
    private long visited;

    private boolean satisfied() {
      Arrays.fill(holder, UNASSIGNED);
      for (int claim = 0; claim < wanted.length; claim++) {
        for (int i = 0; i < wanted[claim]; i++) {
          visited = 0;
          if (!augment(claim)) {
            return false;
          }
        }
      }
      return true;
    }

    /** Gives the claim one more device, and moves other claims if necessary. */
    private boolean augment(int claim) {
      for (long open = open(claim); open != 0; open = open(claim)) {
        int device = Long.numberOfTrailingZeros(open);
        visited |= 1L << device;
        if (holder[device] == UNASSIGNED || augment(holder[device])) {
          holder[device] = claim;
          return true;
        }
      }
      return false;
    }

    private long open(int claim) {
      return candidates[claim] & ~visited;
    }
  }
}
