package io.gpudra.controller.client.election;

import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A lease as an API server keeps it: every change has a new version, and only who knows the newest
 * may write. Answers can be made to fail before or after the effect.
 */
final class FakeLeaseStore {
  private LeaseStore.@Nullable Lease stored;
  private long versions;
  private long highest;
  private boolean marked;

  /** How this candidate's calls fare. */
  enum Fault {
    NONE,
    NO_ANSWER,
    NO_ANSWER_BUT_DONE
  }

  /** The way of one candidate to the lease. */
  final class Connection implements LeaseStore {
    Fault fault = Fault.NONE;
    Runnable meanwhile = () -> {};
    Runnable afterMark = () -> {};
    boolean mayMark = true;
    boolean markAnswered = true;
    int writes;

    @Override
    public Optional<Lease> read() throws IOException {
      if (fault != Fault.NONE) {
        throw new IOException("no answer");
      }
      return Optional.ofNullable(stored);
    }

    @Override
    public Optional<Lease> create(int seconds, long after) throws IOException {
      return stored == null
          ? write(() -> make(seconds, Math.max(after, highest) + 1))
          : clear(Optional.empty());
    }

    @Override
    public Optional<Lease> replace(Lease seen, Holding holding) throws IOException {
      Lease now = stored;
      return now != null && now.version().equals(seen.version())
          ? write(() -> put(holding))
          : clear(Optional.empty());
    }

    @Override
    public boolean mark() throws IOException {
      if (fault == Fault.NO_ANSWER || !mayMark) {
        throw new IOException("no answer");
      }
      boolean made = !marked;
      marked = true;
      if (fault == Fault.NO_ANSWER_BUT_DONE || !markAnswered) {
        throw new IOException("no answer");
      }
      afterMark.run();
      return made;
    }

    private Optional<Lease> write(Runnable effect) throws IOException {
      writes++;
      meanwhile.run();
      if (fault == Fault.NO_ANSWER) {
        throw new IOException("no answer");
      }
      effect.run();
      return clear(Optional.ofNullable(stored));
    }

    private Optional<Lease> clear(Optional<Lease> answer) throws IOException {
      if (fault != Fault.NONE) {
        throw new IOException("no answer");
      }
      return answer;
    }
  }

  Connection connect() {
    return new Connection();
  }

  /** As nobody ever held it. */
  void make(int seconds, long transitions) {
    store("", seconds, transitions, "", "");
  }

  void put(LeaseStore.Holding holding) {
    LeaseStore.Lease before = stored;
    String word = before != null && holding.word().isEmpty() ? before.word() : holding.word();
    store(holding.holder(), holding.seconds(), holding.transitions(), "t" + (versions + 1), word);
  }

  private void store(String holder, int seconds, long transitions, String renewed, String word) {
    versions++;
    highest = Math.max(highest, transitions);
    stored = new LeaseStore.Lease("v" + versions, holder, seconds, transitions, renewed, word);
  }

  void touch() {
    LeaseStore.Lease now = stored();
    store(now.holder(), now.seconds(), now.transitions(), now.renewed(), now.word());
  }

  void delete() {
    stored = null;
  }

  boolean marked() {
    return marked;
  }

  boolean exists() {
    return stored != null;
  }

  LeaseStore.Lease stored() {
    LeaseStore.Lease now = stored;
    if (now == null) {
      throw new AssertionError("there is no lease");
    }
    return now;
  }
}
