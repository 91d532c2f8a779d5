package io.gpudra.controller.client.election;

import java.io.IOException;
import java.util.Optional;

/**
 * One Lease object of the API server, and a mark that outlives it. An update takes the object that
 * it replaces, and succeeds only when no other client wrote in between.
 */
public interface LeaseStore {

  /**
   * The content of the object.
   *
   * @param version the resourceVersion
   * @param holder empty when there is none
   * @param seconds how long after its last change the holder keeps it; 0 when absent
   * @param transitions how often the holder changed
   * @param renewed the holder's wall clock, used only to see that it changed; empty when there was
   *     never a holder
   * @param word stored by a holder for the next one, untrusted: any client that may update the
   *     object can write it; empty for none
   */
  record Lease(
      String version, String holder, int seconds, long transitions, String renewed, String word) {

    /** Whether the last holder released it, and so writes no more. */
    boolean released() {
      return holder.isEmpty() && !renewed.isEmpty();
    }

    /** Whether the lease has the same holder as the other lease, and was not renewed since. */
    boolean unchangedSince(Lease other) {
      return holder.equals(other.holder)
          && transitions == other.transitions
          && renewed.equals(other.renewed);
    }
  }

  /**
   * The content to write.
   *
   * @param word for the next holder; empty keeps the current one
   */
  record Holding(String holder, int seconds, long transitions, String word) {}

  /**
   * Reads the object from the server.
   *
   * @return empty when there is no such object
   * @throws IOException when there is no clear answer
   */
  Optional<Lease> read() throws IOException;

  /**
   * Creates the object without a holder: a leader that has not yet seen the deletion may live.
   *
   * @param seconds the time for which no candidate may take it
   * @param after the last known number of transitions of a former object. The number of the new
   *     object is higher than that of any former one, known or not
   * @return the stored object; empty when one exists already
   * @throws IOException when there is no clear answer; it may have been stored
   */
  Optional<Lease> create(int seconds, long after) throws IOException;

  /**
   * Creates the mark of the first term; it stays when the lease is deleted.
   *
   * @return false when it existed
   * @throws IOException when there is no clear answer; it may have been created
   */
  boolean mark() throws IOException;

  /**
   * Replaces the object that was seen.
   *
   * @return the stored object; empty when another client wrote in between, or the object is gone
   * @throws IOException when there is no clear answer; it may have been stored
   */
  Optional<Lease> replace(Lease seen, Holding holding) throws IOException;
}
