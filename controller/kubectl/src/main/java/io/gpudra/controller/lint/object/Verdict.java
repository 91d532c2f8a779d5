package io.gpudra.controller.lint.object;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Collects the problems of one object, up to a limit. */
final class Verdict {

  /** Further problems are only counted. */
  static final int MAX_TOLD = 50;

  private final List<Told> told = new ArrayList<>();
  private int more;
  private boolean readable = true;

  void add(Told one) {
    add(() -> one);
  }

  /** Evaluates the message only below the limit. */
  void add(Supplier<Told> one) {
    if (told.size() < MAX_TOLD) {
      told.add(one.get());
    } else {
      more++;
    }
  }

  void add(String path, String problem) {
    add(Told.at(path, problem));
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

  void addOnce(Told one) {
    if (!told.contains(one)) {
      add(one);
    }
  }

  /** Paths with problems. */
  ImmutableSet<String> paths() {
    return told.stream().map(Told::path).collect(ImmutableSet.toImmutableSet());
  }

  ImmutableList<Told> told() {
    return more == 0
        ? ImmutableList.copyOf(told)
        : ImmutableList.<Told>builder()
            .addAll(told)
            .add(new Told("", "and " + more + " more"))
            .build();
  }
}
