/**
 * What the claims of a namespace may hold, and whether a commit exceeds it. Start at {@link
 * io.gpudra.controller.quota.QuotaBook}.
 *
 * <p>What must stay true: no Kubernetes, clock or I/O. The figures are a fold over ledgers: they
 * follow from what claims hold now, in any order.
 */
@NullMarked
package io.gpudra.controller.quota;

import org.jspecify.annotations.NullMarked;
