package io.gpudra.controller.gpu;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.Condition;
import io.gpudra.crds.model.Gpu;
import io.gpudra.crds.model.Inventory;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What class and claim together ask of each device. Remembers its answer for each inventory, by
 * identity: a new one arrives only when something of the node changed.
 */
final class GpuCondition implements Condition {

  private static final int MOST_INVENTORIES = 10_000;

  private final String driver;
  private final Wish wish;
  private final Cache<Inventory, Long> answers =
      CacheBuilder.newBuilder().weakKeys().maximumSize(MOST_INVENTORIES).build();

  /**
   * The parts of a condition; all must hold.
   *
   * @param products whole product names, one must match; none given: any product
   * @param nominalMemoryBytes least nominal memory
   * @param memory as the user wrote it; empty when not asked for
   */
  record Wish(
      ImmutableList<Glob> products,
      OptionalLong nominalMemoryBytes,
      String memory,
      ImmutableList<DeviceExpression> expressions) {

    /** GPUs cut into MIG devices are no whole GPUs, unless a condition speaks of them. */
    private boolean takesMigEnabled() {
      return expressions.stream().anyMatch(one -> one.reads(Attribute.MIG_ENABLED));
    }

    private boolean holds(Device device) {
      Gpu gpu = device.gpu();
      return gpu.model().nominalMemoryBytes() >= nominalMemoryBytes.orElse(0)
          && (gpu.mig() != Gpu.MigMode.ENABLED || takesMigEnabled())
          && (products.isEmpty()
              || products.stream().anyMatch(one -> one.matches(gpu.model().productName())))
          && expressions.stream().allMatch(one -> one.matches(device));
    }

    private String text() {
      String names = products.stream().map(Glob::pattern).collect(Collectors.joining(" or "));
      return Stream.concat(
              Stream.of(
                  names.isEmpty() ? "" : "product " + names,
                  memory.isEmpty() ? "" : "memory >= " + memory),
              expressions.stream().map(DeviceExpression::text))
          .filter(part -> !part.isEmpty())
          .collect(Collectors.joining(" and "));
    }
  }

  GpuCondition(String driver, Wish wish) {
    this.driver = driver;
    this.wish = wish;
  }

  /** Forgotten and made anew it is still the same question. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof GpuCondition condition
        && driver.equals(condition.driver)
        && wish.equals(condition.wish);
  }

  @Override
  public int hashCode() {
    return wish.hashCode();
  }

  @Override
  public String text() {
    return wish.text();
  }

  @Override
  public long matching(Inventory inventory) {
    Long known = answers.getIfPresent(inventory);
    if (known != null) {
      return known;
    }
    long matching = judge(inventory);
    answers.put(inventory, matching);
    return matching;
  }

  private long judge(Inventory inventory) {
    long matching = 0;
    for (int i = 0; i < Math.min(Long.SIZE, inventory.gpus().size()); i++) {
      Device device = new Device(driver, inventory, inventory.gpus().get(i));
      matching |= wish.holds(device) ? 1L << i : 0;
    }
    return matching;
  }
}
