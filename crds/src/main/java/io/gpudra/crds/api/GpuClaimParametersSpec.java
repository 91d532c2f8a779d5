package io.gpudra.crds.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.MemorySize;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a claim asks for. Everything absent asks for one whole GPU.
 *
 * @param count GPUs, all on one node; 1 when absent
 * @param memory least nominal memory of each GPU, with unit, such as {@code 16Gi}
 * @param cel condition over {@code device} that each GPU satisfies
 * @param shareable whether several pods may use the claim; true when absent
 * @param placement which GPU is taken first; the class decides when absent
 */
@WireRecord
public record GpuClaimParametersSpec(
    @Nullable Integer count,
    @Nullable String memory,
    @Nullable String cel,
    @Nullable Boolean shareable,
    @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
        @Nullable Placement placement) {

  /** What a claim without parameters asks for. */
  public static final GpuClaimParametersSpec NOTHING_SAID =
      new GpuClaimParametersSpec(null, null, null, null, null);

  /** Most GPUs of one claim. */
  public static final int MAX_COUNT = 64;

  /** What is wrong, field by field; empty when nothing is. */
  public ImmutableList<String> problems() {
    Problems problems = new Problems();
    problems.checkRange("spec.count", count, 1, MAX_COUNT);
    problems.checkSize("spec.memory", memory);
    problems.checkCel("spec.cel", cel);
    return problems.found();
  }

  /** Number of GPUs. */
  public int countOrDefault() {
    return count == null ? 1 : count;
  }

  /** Least nominal memory in bytes; empty also when {@link #memory} is no size. */
  public OptionalLong nominalMemoryBytes() {
    Optional<MemorySize> size = Optional.ofNullable(memory).flatMap(MemorySize::parse);
    return size.isPresent() ? OptionalLong.of(size.get().nominalBytes()) : OptionalLong.empty();
  }

  /** Whether several pods may use the claim, as far as the claim has a say. */
  public boolean shareableOrDefault() {
    return shareable == null || shareable;
  }
}
