package io.gpudra.scenarios.steps;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.facts.ClaimFacts;
import io.gpudra.controller.dra.queue.Requeuer;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.ClaimUid;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The claims as one controller knows them: what its watch brought or, until that has caught up,
 * what the server answered to its own calls. Never behind its own writes, and a deleted claim does
 * not come back: the contract of {@link io.gpudra.controller.dra.ClaimStore}.
 */
final class ClaimCache {
  private final Map<ClaimRef, Seen> cached = new TreeMap<>(ClaimCache::compare);
  private final Map<ClaimRef, Seen> answered = new HashMap<>();
  private final Set<ClaimUid> removed = new HashSet<>();
  private final Requeuer events;
  private long position;

  ClaimCache(Requeuer events) {
    this.events = events;
  }

  private static int compare(ClaimRef one, ClaimRef other) {
    return one.toString().compareTo(other.toString());
  }

  ImmutableList<Seen> all() {
    return ImmutableList.copyOf(cached.values());
  }

  Optional<Seen> newest(ClaimRef ref) {
    Seen answer = answered.get(ref);
    Seen watched = cached.get(ref);
    Seen newest = answer == null || (watched != null && !answer.later(watched)) ? watched : answer;
    return Optional.ofNullable(newest).filter(seen -> !removed.contains(seen.facts().uid()));
  }

  /** The class of this very claim, if it is known. */
  Optional<String> className(ClaimRef ref, ClaimUid claim) {
    return newest(ref)
        .map(Seen::facts)
        .filter(now -> now.uid().equals(claim))
        .map(ClaimFacts::className);
  }

  void answer(Seen now) {
    Seen before = answered.get(now.facts().ref());
    Seen watched = cached.get(now.facts().ref());
    boolean overtaken = watched == null ? now.revision() <= position : !now.later(watched);
    if (overtaken || (before != null && !now.later(before))) {
      return;
    }
    tellReplaced(before, now);
    answered.put(now.facts().ref(), now);
    events.claimSeen(now.facts());
  }

  void removed(Seen last) {
    if (newest(last.facts().ref()).filter(last::sameUid).isPresent()) {
      removed.add(last.facts().uid());
      tellGone(last);
    }
  }

  void changed(Seen now) {
    position = now.revision();
    cached.put(now.facts().ref(), now);
    Seen answer = answered.get(now.facts().ref());
    if (answer != null && answer.later(now)) {
      return;
    }
    answered.remove(now.facts().ref());
    if (answer != null && answer.revision() == now.revision()) {
      return;
    }
    tellReplaced(answer, now);
    events.claimSeen(now.facts());
  }

  void gone(Seen last) {
    position = last.revision();
    cached.remove(last.facts().ref());
    answered.computeIfPresent(last.facts().ref(), (ref, a) -> a.sameUid(last) ? null : a);
    if (!removed.remove(last.facts().uid())) {
      tellGone(last);
    }
  }

  /** A list instead of the events that were missed. */
  void relisted(ImmutableList<Seen> now, long revision) {
    Set<ClaimUid> there = new HashSet<>();
    now.forEach(seen -> there.add(seen.facts().uid()));
    for (Seen old : all()) {
      if (!there.contains(old.facts().uid())) {
        gone(old);
      }
    }
    for (Seen seen : now) {
      Seen old = cached.get(seen.facts().ref());
      if (old == null || seen.later(old)) {
        changed(seen);
      }
    }
    position = revision;
    answered.values().removeIf(answer -> cameAndWent(answer, revision));
  }

  private boolean cameAndWent(Seen answer, long revision) {
    boolean gone = answer.revision() <= revision && !cached.containsKey(answer.facts().ref());
    if (gone && !removed.remove(answer.facts().uid())) {
      tellGone(answer);
    }
    return gone;
  }

  private void tellReplaced(Seen before, Seen now) {
    if (before != null && !before.sameUid(now)) {
      tellGone(before);
    }
  }

  private void tellGone(Seen last) {
    events.claimGone(last.facts().ref(), last.facts().uid());
  }
}
