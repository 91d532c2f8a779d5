package io.gpudra.controller.lint.object;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Collects the problems of one object, up to a limit. */
final class ObjectProblems {

  /** The maximum number of reported problems; further problems are only counted. */
  static final int MAX_TOLD = 50;

  private final List<ObjectProblem> told = new ArrayList<>();
  private int more;
  private boolean readable = true;

  void add(ObjectProblem one) {
    add(() -> one);
  }

  /** Evaluates the message only below the limit. */
  void add(Supplier<ObjectProblem> one) {
    if (told.size() < MAX_TOLD) {
      told.add(one.get());
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
    return told.isEmpty();
  }

  void addOnce(ObjectProblem one) {
    if (!told.contains(one)) {
      add(one);
    }
  }

  /** Paths with problems. */
  ImmutableSet<String> paths() {
    return told.stream().map(ObjectProblem::path).collect(ImmutableSet.toImmutableSet());
  }

  ImmutableList<ObjectProblem> told() {
    return more == 0
        ? ImmutableList.copyOf(told)
        : ImmutableList.<ObjectProblem>builder()
            .addAll(told)
            .add(new ObjectProblem("", "and " + more + " more"))
            .build();
  }
}
