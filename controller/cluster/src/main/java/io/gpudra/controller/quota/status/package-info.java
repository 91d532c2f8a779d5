/**
 * Writes what quotas use into their status. Start at {@link
 * io.gpudra.controller.quota.status.QuotaStatusWriter}.
 *
 * <p>What must stay true: only the leader writes, and only differences. The figures are those of
 * the {@code QuotaBook}, which every replica keeps.
 */
@NullMarked
package io.gpudra.controller.quota.status;

import org.jspecify.annotations.NullMarked;
