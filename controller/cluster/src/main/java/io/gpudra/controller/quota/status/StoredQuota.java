package io.gpudra.controller.quota.status;

import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.crds.api.quota.GpuQuotaStatus;
import java.util.Optional;

/** A quota and its current status. */
public record StoredQuota(ObjectKey key, String uid, Optional<GpuQuotaStatus> status) {}
