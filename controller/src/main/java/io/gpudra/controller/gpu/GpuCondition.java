package io.gpudra.controller.gpu;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.allocation.request.Condition;
import io.gpudra.controller.gpu.cel.Attribute;
import io.gpudra.controller.gpu.cel.Device;
import io.gpudra.controller.gpu.cel.DeviceExpression;
import io.gpudra.controller.gpu.cel.Expressions;
import io.gpudra.controller.gpu.cel.MemoBudget;
import io.gpudra.crds.model.Gpu;
import io.gpudra.crds.model.Inventory;
import io.gpudra.crds.model.Part;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What class and claim together ask of each device. */
final class GpuCondition implements Condition {

  private final String driver;
  private final Wish wish;
  private final int place;
  private final Expressions judge;
  private final Answers answers;

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

    private boolean holds(Device device, Expressions judge) {
      Gpu gpu = device.gpu();
      return gpu.model().nominalMemoryBytes() >= nominalMemoryBytes.orElse(0)
          && (gpu.mig().mode() != Gpu.MigMode.ENABLED || takesMigEnabled())
          && (products.isEmpty()
              || products.stream().anyMatch(one -> one.matches(gpu.model().productName())))
          && expressions.stream().allMatch(one -> judge.matches(one, device));
    }

    /** What it takes of the memory for conditions. */
    int bytes() {
      int bytes = MemoBudget.ENTRY * (2 + products.size()) + 2 * memory.length();
      for (Glob product : products) {
        bytes += 2 * product.pattern().length();
      }
      for (DeviceExpression expression : expressions) {
        bytes += MemoBudget.ENTRY + 2 * expression.text().length();
      }
      return bytes;
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

  /**
   * A condition without answers.
   *
   * @param place of its answers among those for an inventory
   */
  GpuCondition(String driver, Wish wish, int place, Expressions judge, Answers answers) {
    this.driver = driver;
    this.wish = wish;
    this.place = place;
    this.judge = judge;
    this.answers = answers;
  }

  int place() {
    return place;
  }

  /** Forgotten and made anew it is still the same question. */
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof GpuCondition condition
            && driver.equals(condition.driver)
            && wish.equals(condition.wish));
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
    OptionalLong known = answers.find(this, inventory);
    if (known.isPresent()) {
      return known.getAsLong();
    }
    long matching = judge(inventory);
    answers.put(this, inventory, matching);
    return matching;
  }

  @Override
  public boolean matches(Inventory inventory, int gpu, Part.Slice slice, Optional<String> uuid) {
    return false;
  }

  private long judge(Inventory inventory) {
    long matching = 0;
    for (int i = 0; i < Math.min(Long.SIZE, inventory.gpus().size()); i++) {
      Device device = new Device(driver, inventory, inventory.gpus().get(i));
      matching |= wish.holds(device, judge) ? 1L << i : 0;
    }
    return matching;
  }
}
