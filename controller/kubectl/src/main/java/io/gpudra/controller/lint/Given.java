package io.gpudra.controller.lint;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.lint.object.Kind;
import io.gpudra.controller.lint.object.ObjectCheck;
import io.gpudra.controller.lint.object.Told;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Resolves references between the objects of all texts: to the object of the same text, else to the
 * object that all other texts agree on. Missing objects are unknown.
 */
final class Given {

  private final ObjectCheck check;
  private final Map<Key, Named> named = new HashMap<>();
  private final IdentityHashMap<Subject, ImmutableList<Told>> problems = new IdentityHashMap<>();

  private record Key(Kind kind, String namespace, String name) {}

  /** Objects of one kind, namespace and name. */
  private static final class Named {
    private final Map<String, Subject> bySource = new HashMap<>();
    private @Nullable Subject first;
    private boolean unlike;

    void add(Subject subject) {
      bySource.put(subject.source().name(), subject);
      if (first == null) {
        first = subject;
      } else if (!first.json().equals(subject.json())) {
        unlike = true;
      }
    }

    Optional<Subject> seenFrom(Subject other) {
      Subject beside = bySource.get(other.source().name());
      return Optional.ofNullable(beside == null && !unlike ? first : beside);
    }
  }

  Given(ObjectCheck check, List<Subject> subjects) {
    this.check = check;
    for (Subject subject : subjects) {
      Key key = new Key(subject.kind(), subject.namespace(), subject.name());
      named.computeIfAbsent(key, any -> new Named()).add(subject);
    }
  }

  /** Resolves a name; in the namespace of the referring object, unless the kind has none. */
  Optional<Subject> find(Kind kind, String name, Subject from) {
    Key key = new Key(kind, kind.isOfCluster() ? "" : from.namespace(), name);
    return Optional.ofNullable(named.get(key)).flatMap(one -> one.seenFrom(from));
  }

  /** Problems of the object by itself. */
  ImmutableList<Told> problems(Subject subject) {
    return problems.computeIfAbsent(subject, any -> check.problems(any.kind(), any.json()));
  }

  /** Resolves a name to an object without problems. */
  Optional<Subject> findSound(Kind kind, String name, Subject from) {
    return find(kind, name, from).filter(one -> problems(one).isEmpty());
  }
}
