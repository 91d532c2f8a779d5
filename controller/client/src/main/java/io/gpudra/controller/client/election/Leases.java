package io.gpudra.controller.client.election;

import java.io.IOException;
import java.util.Optional;

/**
 * One Lease object of the API server, and a mark beside it that outlives it. A write takes the
 * object it replaces, and happens only when nobody wrote in between.
 */
public interface Leases {

  /**
   * What the object says.
   *
   * @param version the resourceVersion
   * @param holder empty when nobody holds it
   * @param seconds how long after its last change the holder keeps it; 0 when it does not say
   * @param transitions how often the holder changed
   * @param renewed the holder's wall clock; only good for seeing that it changed; empty when nobody
   *     ever held it
   * @param word what a holder left to the next one; anybody's who may write the object; empty when
   *     there is none
   */
  record Lease(
      String version, String holder, int seconds, long transitions, String renewed, String word) {

    /** Whether its last holder gave it up, and so writes no more. */
    boolean released() {
      return holder.isEmpty() && !renewed.isEmpty();
    }

    /** Whether somebody holds it just as they did at the other look, without having renewed. */
    boolean unchangedSince(Lease other) {
      return holder.equals(other.holder)
          && transitions == other.transitions
          && renewed.equals(other.renewed);
    }
  }

  /**
   * What to write.
   *
   * @param word for the next holder; empty leaves what is there
   */
  record Holding(String holder, int seconds, long transitions, String word) {}

  /**
   * Asks the server for the object.
   *
   * @return empty when there is no such object
   * @throws IOException when the server does not say
   */
  Optional<Lease> read() throws IOException;

  /**
   * Makes the object, held by nobody: a leader may live that has not seen yet that it is gone.
   *
   * @param seconds for so long nobody may take it
   * @param after the last number of transitions that is known of a former object. The new one's is
   *     higher than of any former one, known or not
   * @return what was stored; empty when the object exists already
   * @throws IOException when the server does not say; it may have been stored
   */
  Optional<Lease> create(int seconds, long after) throws IOException;

  /**
   * Makes the mark of the first term ever; it stays when the lease is deleted.
   *
   * @return false when it was there
   * @throws IOException when the server does not say; it may have been made
   */
  boolean mark() throws IOException;

  /**
   * Writes the object over the one that was seen.
   *
   * @return what was stored; empty when somebody wrote in between, or the object is gone
   * @throws IOException when the server does not say; it may have been stored
   */
  Optional<Lease> replace(Lease seen, Holding holding) throws IOException;
}
