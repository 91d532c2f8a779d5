package io.gpudra.crds.api.quota;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.api.problem.ProblemList;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.wire.WireRecord;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The limits, and the classes that they are for.
 *
 * @param resourceClassNames classes whose claims count; every class of this driver when absent or
 *     empty
 * @param hard the most that the claims may hold together
 */
@WireRecord
public record GpuQuotaSpec(
    @Nullable List<@Nullable String> resourceClassNames, @Nullable Hard hard) {

  /**
   * The most that claims may hold.
   *
   * @param gpus a {@link GpuAmount}; no limit when absent
   * @param memory a {@link MemorySize}; no limit when absent
   */
  @WireRecord
  public record Hard(@Nullable String gpus, @Nullable String memory) {

    /** The limit in thousandths of a GPU. */
    public OptionalLong thousandths() {
      return Optional.ofNullable(gpus).flatMap(GpuAmount::parse).stream()
          .mapToLong(GpuAmount::thousandths)
          .findFirst();
    }

    /** The limit in bytes. */
    public OptionalLong bytes() {
      return Optional.ofNullable(memory).flatMap(MemorySize::parse).stream()
          .mapToLong(MemorySize::exactBytes)
          .findFirst();
    }
  }

  /** The problems of the spec, field by field. */
  public ImmutableList<String> problems() {
    ProblemList problems = new ProblemList();
    QuotaRules.check(problems, this);
    return problems.found();
  }

  /** The limits; none when they are absent. */
  public Hard hardOrDefault() {
    return hard == null ? new Hard(null, null) : hard;
  }

  /** The classes; empty for all of this driver. */
  public ImmutableSet<String> classes() {
    return resourceClassNames == null
        ? ImmutableSet.of()
        : resourceClassNames.stream().filter(Objects::nonNull).collect(toImmutableSet());
  }
}
