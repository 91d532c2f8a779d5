package io.gpudra.controller.kube;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Table;
import com.google.common.collect.TreeBasedTable;
import io.gpudra.controller.client.watch.CacheListener;
import io.gpudra.controller.client.watch.ObjectCache;
import io.gpudra.controller.client.watch.ObjectCache.Kept;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.controller.kube.mapping.CachedQuota;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.quota.QuotaLimit;
import io.gpudra.controller.quota.status.QuotaObjects;
import io.gpudra.controller.quota.status.StoredQuota;
import io.gpudra.crds.api.quota.GpuQuota;
import io.gpudra.crds.api.quota.GpuQuotaStatus;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Reads the quotas of all namespaces from a cache; writes only their status, by server-side apply.
 */
public final class KubeQuotas implements QuotaObjects {
  private final ObjectCache<CachedQuota> cache = new ObjectCache<>();

  /** By namespace and name. Only the watch thread uses it. */
  private final Table<String, String, QuotaLimit> byNamespace = TreeBasedTable.create();

  /** The limits that the listener knows. Only the watch thread uses it. */
  private final Map<String, ImmutableList<QuotaLimit>> known = new HashMap<>();

  private final StatusCalls calls;
  private volatile BiConsumer<String, ImmutableList<QuotaLimit>> listener = (name, limits) -> {};

  KubeQuotas(StatusCalls calls) {
    this.calls = calls;
  }

  /** The cache to fill. */
  ObjectCache<CachedQuota> cache() {
    return cache;
  }

  /**
   * Call before the watch starts.
   *
   * @param limits receives the limits of a namespace when they differ from those before; at most
   *     {@link QuotaLimit#MAX_LISTED}, the first by name
   */
  public void setListener(BiConsumer<String, ImmutableList<QuotaLimit>> limits) {
    listener = limits;
  }

  CacheListener<CachedQuota> listening() {
    return new CallbackListener<>(this::changed, this::gone, () -> {});
  }

  private void changed(Kept<CachedQuota> quota) {
    ObjectKey key = KubeParameters.key(quota);
    byNamespace.put(
        key.namespace(), key.name(), QuotaLimit.of(key.name(), quota.uid(), quota.value().spec()));
    tell(key.namespace());
  }

  private void gone(Kept<CachedQuota> quota) {
    ObjectKey key = KubeParameters.key(quota);
    byNamespace.remove(key.namespace(), key.name());
    tell(key.namespace());
  }

  private void tell(String namespace) {
    ImmutableList<QuotaLimit> now = limits(namespace);
    ImmutableList<QuotaLimit> before =
        now.isEmpty() ? known.remove(namespace) : known.put(namespace, now);
    if (!now.equals(before)) {
      listener.accept(namespace, now);
    }
  }

  private ImmutableList<QuotaLimit> limits(String namespace) {
    return byNamespace.row(namespace).values().stream()
        .limit(QuotaLimit.MAX_LISTED)
        .collect(toImmutableList());
  }

  @Override
  public ImmutableList<StoredQuota> all() {
    return cache.all().stream()
        .filter(quota -> cache.problem(quota.key()).isEmpty())
        .map(
            quota ->
                new StoredQuota(KubeParameters.key(quota), quota.uid(), quota.value().status()))
        .collect(toImmutableList());
  }

  @Override
  public WriteOutcome.Kind write(StoredQuota seen, GpuQuotaStatus status) {
    return calls.apply(GpuQuota.PLURAL, GpuQuota.KIND, seen.key(), seen.uid(), status);
  }
}
