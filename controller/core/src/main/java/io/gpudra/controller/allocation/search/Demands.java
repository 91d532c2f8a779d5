package io.gpudra.controller.allocation.search;

import java.util.Arrays;

/**
 * Several claims that want disjoint devices: candidates as masks, one for each claim, and how many
 * each wants. Exact: augmenting paths in the bipartite graph of claims and devices, so cost grows
 * with claims × devices², never with the number of combinations.
 */
public final class Demands {

  private static final int NOBODY = -1;

  private final long[] candidates;
  private final int[] wanted;

  public Demands(long[] candidates, int[] wanted) {
    this.candidates = candidates.clone();
    this.wanted = wanted.clone();
  }

  /** Whether all claims can have their devices at once. */
  public boolean satisfiable() {
    return roomy() || new Search().satisfied();
  }

  /** The common case: nobody can run dry even if all others come first. */
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

  /** What remains to be satisfied when the claim has got the device. */
  public Demands after(int claim, int device) {
    Demands rest = new Demands(candidates, wanted);
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

  /** How many candidates a claim could lose; the claim with the least is the most constrained. */
  public int slack(int claim) {
    return Long.bitCount(candidates[claim]) - wanted[claim];
  }

  private final class Search {
    private final int[] holder = new int[Long.SIZE];
    private long visited;

    private boolean satisfied() {
      Arrays.fill(holder, NOBODY);
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

    /** Gives the claim one more device, moving others if it must. */
    private boolean augment(int claim) {
      for (long open = open(claim); open != 0; open = open(claim)) {
        int device = Long.numberOfTrailingZeros(open);
        visited |= 1L << device;
        if (holder[device] == NOBODY || augment(holder[device])) {
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
