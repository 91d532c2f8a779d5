package io.gpudra.controller.lint;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.lint.object.LintKind;
import io.gpudra.controller.lint.object.ObjectCheck;
import io.gpudra.controller.lint.object.ObjectProblem;
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
final class ManifestObjects {

  private final ObjectCheck check;
  private final Map<Key, Named> named = new HashMap<>();
  private final IdentityHashMap<LintObject, ImmutableList<ObjectProblem>> problems =
      new IdentityHashMap<>();

  private record Key(LintKind kind, String namespace, String name) {}

  /** Objects of one kind, namespace and name. */
  private static final class Named {
    private final Map<String, LintObject> bySource = new HashMap<>();
    private @Nullable LintObject first;
    private boolean unlike;

    void add(LintObject lintObject) {
      bySource.put(lintObject.source().name(), lintObject);
      if (first == null) {
        first = lintObject;
      } else if (!first.json().equals(lintObject.json())) {
        unlike = true;
      }
    }

    Optional<LintObject> seenFrom(LintObject other) {
      LintObject beside = bySource.get(other.source().name());
      return Optional.ofNullable(beside == null && !unlike ? first : beside);
    }
  }

  ManifestObjects(ObjectCheck check, List<LintObject> subjects) {
    this.check = check;
    for (LintObject lintObject : subjects) {
      Key key = new Key(lintObject.kind(), lintObject.namespace(), lintObject.name());
      named.computeIfAbsent(key, any -> new Named()).add(lintObject);
    }
  }

  /** Resolves a name; in the namespace of the referring object, unless the kind has none. */
  Optional<LintObject> find(LintKind kind, String name, LintObject from) {
    Key key = new Key(kind, kind.isOfCluster() ? "" : from.namespace(), name);
    return Optional.ofNullable(named.get(key)).flatMap(one -> one.seenFrom(from));
  }

  /** Problems of the object by itself. */
  ImmutableList<ObjectProblem> problems(LintObject lintObject) {
    return problems.computeIfAbsent(lintObject, any -> check.problems(any.kind(), any.json()));
  }

  /** Resolves a name to an object without problems. */
  Optional<LintObject> findSound(LintKind kind, String name, LintObject from) {
    return find(kind, name, from).filter(one -> problems(one).isEmpty());
  }
}
