package io.gpudra.kubeletplugin.kube;

import com.fasterxml.jackson.core.filter.TokenFilter;
import com.google.common.collect.ImmutableMap;
import org.jspecify.annotations.Nullable;

/** The members of an object that are worth keeping; what others hold is passed over, unread. */
final class Members extends TokenFilter {

  /** The filter for each member. */
  private final ImmutableMap<String, TokenFilter> inner;

  private Members(ImmutableMap<String, TokenFilter> inner) {
    this.inner = inner;
  }

  /** These members, whole. */
  static Members of(String... names) {
    ImmutableMap.Builder<String, TokenFilter> inner = ImmutableMap.builder();
    for (String name : names) {
      inner.put(name, TokenFilter.INCLUDE_ALL);
    }
    return new Members(inner.buildOrThrow());
  }

  /** These and one more, of which only some members count. */
  Members and(String name, Members some) {
    return new Members(
        ImmutableMap.<String, TokenFilter>builder().putAll(inner).put(name, some).buildOrThrow());
  }

  @Override
  public @Nullable TokenFilter includeProperty(String name) {
    return inner.get(name);
  }

  @Override
  protected boolean _includeScalar() {
    return false;
  }
}
