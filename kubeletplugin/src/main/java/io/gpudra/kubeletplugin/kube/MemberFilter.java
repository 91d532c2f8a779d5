package io.gpudra.kubeletplugin.kube;

import com.fasterxml.jackson.core.filter.TokenFilter;
import com.google.common.collect.ImmutableMap;
import org.jspecify.annotations.Nullable;

/** The members of an object that are kept; the other members are skipped, unread. */
final class MemberFilter extends TokenFilter {

  /** The filter for each member. */
  private final ImmutableMap<String, TokenFilter> inner;

  private MemberFilter(ImmutableMap<String, TokenFilter> inner) {
    this.inner = inner;
  }

  /** These members with all of their content. */
  static MemberFilter of(String... names) {
    ImmutableMap.Builder<String, TokenFilter> inner = ImmutableMap.builder();
    for (String name : names) {
      inner.put(name, TokenFilter.INCLUDE_ALL);
    }
    return new MemberFilter(inner.buildOrThrow());
  }

  /** These members and one more, of which only some members are kept. */
  MemberFilter and(String name, MemberFilter some) {
    return new MemberFilter(
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
