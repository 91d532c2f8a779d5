package io.gpudra.controller.quota.status;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.dra.WriteOutcome;
import io.gpudra.crds.api.quota.GpuQuotaStatus;

/** Port to the quotas. */
public interface QuotaObjects {

  /** All readable quotas, from the cache. */
  ImmutableList<StoredQuota> all();

  /** Replaces the status that we stored for exactly this quota. */
  WriteOutcome.Kind write(StoredQuota seen, GpuQuotaStatus status);
}
