package io.gpudra.controller.lint.object;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Collects the problems of one object, up to a limit. */
final class ObjectProblems {

  /** The maximum number of reported problems; further problems are only counted. */
  static final int MAX_REPORTED = 50;

  private final List<ObjectProblem> listed = new ArrayList<>();
  private int more;
  private boolean readable = true;

  void add(ObjectProblem one) {
    add(() -> one);
  }

  /** Evaluates the message only below the limit. */
  void add(Supplier<ObjectProblem> one) {
    if (listed.size() < MAX_REPORTED) {
      listed.add(one.get());
    } else {
      more++;
    }
  }

  void add(String path, String problem) {
    add(ObjectProblem.at(path, problem));
  }

  /** A value has the wrong type, so the object cannot be parsed. */
  void addType(String path, String problem) {
    add(path, problem);
    readable = false;
  }

  boolean isReadable() {
    return readable;
  }

  boolean isEmpty() {
    return listed.isEmpty();
  }

  void addOnce(ObjectProblem one) {
    if (!listed.contains(one)) {
      add(one);
    }
  }

  /** Paths with problems. */
  ImmutableSet<String> paths() {
    return listed.stream().map(ObjectProblem::path).collect(ImmutableSet.toImmutableSet());
  }

  ImmutableList<ObjectProblem> list() {
    return more == 0
        ? ImmutableList.copyOf(listed)
        : ImmutableList.<ObjectProblem>builder()
            .addAll(listed)
            .add(new ObjectProblem("", "and " + more + " more"))
            .build();
  }
}
