/**
 * The limits of a namespace: start at {@link io.gpudra.crds.api.quota.GpuQuota}.
 *
 * <p>What must stay true: {@code problems()} reports the problems of a quota in the words of the
 * schema and never throws. Amounts are exact: thousandths of a GPU, and bytes.
 */
@NullMarked
package io.gpudra.crds.api.quota;

import org.jspecify.annotations.NullMarked;
