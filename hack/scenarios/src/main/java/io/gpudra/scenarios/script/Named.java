package io.gpudra.scenarios.script;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Maps;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What goes by a name, or by one in which {@code *} stands for what Kubernetes has made up.
 *
 * @param asMany whether there are as many as wanted; without a number, whether there are any
 */
record Named<T>(ImmutableSortedMap<String, T> things, boolean asMany) {

  static <T> Named<T> in(ImmutableSortedMap<String, T> all, String name, @Nullable Integer number) {
    ImmutableSortedMap<String, T> things =
        ImmutableSortedMap.copyOf(Maps.filterKeys(all, pattern(name).asMatchPredicate()::test));
    return new Named<>(
        things,
        number == null ? !things.isEmpty() : things.size() == Objects.requireNonNull(number));
  }

  /** Everything that one of the names is for. */
  static <T> ImmutableSortedMap<String, T> all(
      ImmutableSortedMap<String, T> all, Collection<String> names) {
    ImmutableList<Pattern> patterns =
        names.stream().map(Named::pattern).collect(ImmutableList.toImmutableList());
    return ImmutableSortedMap.copyOf(
        Maps.filterKeys(
            all, name -> patterns.stream().anyMatch(pattern -> pattern.matcher(name).matches())));
  }

  private static Pattern pattern(String name) {
    return Pattern.compile(
        List.of(name.split("\\*", -1)).stream()
            .map(Pattern::quote)
            .collect(Collectors.joining(".*")));
  }
}
