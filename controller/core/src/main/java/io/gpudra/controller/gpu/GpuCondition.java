package io.gpudra.controller.gpu;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Streams;
import io.gpudra.controller.allocation.request.DevicePredicate;
import io.gpudra.controller.gpu.ConditionResultCache.Question;
import io.gpudra.controller.gpu.cel.CelDevice;
import io.gpudra.controller.gpu.cel.CelDevice.MigDevice;
import io.gpudra.controller.gpu.cel.ConditionCompiler;
import io.gpudra.controller.gpu.cel.DeviceExpression;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.DeviceAttribute;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Inventory;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The condition of class and claim together, on each device. */
final class GpuCondition implements DevicePredicate {

  private final String driver;
  private final Terms terms;
  private final int hash;
  private final boolean readsName;
  private final boolean readsUuid;
  private final boolean readsUnique;
  private final int steps;
  private final int number;
  private final Question whole;
  private final ConditionCompiler conditionCompiler;
  private final ConditionResultCache conditionResultCache;

  /**
   * The parts of a condition; all must hold.
   *
   * @param whole whether GPUs in use for MIG devices are unsuitable
   * @param migProfile for texts only: callers pass MIG devices of the right profile
   * @param products patterns of whole product names, one must match; empty for any
   * @param nominalMemoryBytes the minimum nominal memory
   * @param memory as the user wrote it; empty if absent
   * @param capabilities the required capabilities
   */
  record Terms(
      boolean whole,
      Optional<String> migProfile,
      ImmutableList<GlobPattern> products,
      OptionalLong nominalMemoryBytes,
      String memory,
      ImmutableSet<String> capabilities,
      ImmutableList<DeviceExpression> expressions) {

    private boolean reads(DeviceAttribute attribute) {
      return expressions.stream().anyMatch(one -> one.reads(attribute));
    }

    private int effort() {
      return expressions.stream().mapToInt(DeviceExpression::effort).sum();
    }

    private boolean readsUnique() {
      return expressions.stream()
          .flatMap(one -> one.reads().stream())
          .anyMatch(attribute -> attribute.scope() == DeviceAttribute.Scope.DEVICE);
    }

    /**
     * A GPU in MIG mode is no whole GPU unless its mode can be switched or a condition reads the
     * mode.
     */
    private boolean isWhole(Gpu gpu) {
      return gpu.mig().mode() != Gpu.MigMode.ENABLED
          || gpu.mig().switchable()
          || reads(DeviceAttribute.MIG_ENABLED);
    }

    private boolean holds(CelDevice device, ConditionCompiler judge) {
      return device.nominalMemoryBytes() >= nominalMemoryBytes.orElse(0)
          && (!whole || device.mig().isPresent() || isWhole(device.gpu()))
          && (products.isEmpty()
              || products.stream().anyMatch(one -> one.matches(device.gpu().model().productName())))
          && (capabilities.isEmpty() || device.capabilities().containsAll(capabilities))
          && expressions.stream().allMatch(one -> judge.matches(one, device));
    }

    /** Its share of the memory for conditions. */
    int bytes() {
      int parts = 3 + products.size() + capabilities.size();
      int bytes = MemoryBudget.ENTRY * parts + 2 * memory.length();
      for (GlobPattern product : products) {
        bytes += 2 * product.pattern().length();
      }
      for (DeviceExpression expression : expressions) {
        bytes += MemoryBudget.ENTRY + 2 * expression.text().length();
      }
      return bytes;
    }

    private Terms with(OptionalLong bytes, ImmutableSet<String> all) {
      String written = bytes.isPresent() ? memory : "";
      return new Terms(whole, migProfile, products, bytes, written, all, expressions);
    }

    private Terms with(ImmutableList<GlobPattern> names, ImmutableList<DeviceExpression> rest) {
      return new Terms(whole, migProfile, names, nominalMemoryBytes, memory, capabilities, rest);
    }

    private Terms without(String capability) {
      return with(nominalMemoryBytes, all(capabilities, capability).collect(toImmutableSet()));
    }

    private Terms without(DeviceExpression one) {
      return with(products, all(expressions, one).collect(toImmutableList()));
    }

    private static <T> Stream<T> all(Collection<T> of, T but) {
      return of.stream().filter(other -> !other.equals(but));
    }

    private String names() {
      return products.stream().map(GlobPattern::pattern).collect(Collectors.joining(" or "));
    }

    private String text() {
      String names = names();
      return Streams.concat(
              Stream.of(
                  migProfile.map("migProfile "::concat).orElse(""),
                  names.isEmpty() ? "" : "product " + names,
                  memory.isEmpty() ? "" : "memory >= " + memory),
              capabilities.stream(),
              expressions.stream().map(DeviceExpression::text))
          .filter(part -> !part.isEmpty())
          .collect(Collectors.joining(" and "));
    }
  }

  /** A condition without answers. */
  GpuCondition(
      String driver,
      Terms terms,
      ConditionCompiler conditionCompiler,
      ConditionResultCache conditionResultCache) {
    this(driver, terms, conditionCompiler, conditionResultCache, conditionResultCache.number());
  }

  private GpuCondition(
      String driver,
      Terms terms,
      ConditionCompiler conditionCompiler,
      ConditionResultCache conditionResultCache,
      int number) {
    this.driver = driver;
    this.terms = terms;
    this.hash = terms.hashCode();
    this.readsName = terms.reads(DeviceAttribute.NAME);
    this.readsUuid = terms.reads(DeviceAttribute.UUID);
    this.readsUnique = terms.readsUnique();
    this.steps = tellsDevicesApart() ? Math.max(STEPS_APART, terms.effort()) : terms.effort();
    this.number = number;
    this.whole = new Question(number, "", 0);
    this.conditionCompiler = conditionCompiler;
    this.conditionResultCache = conditionResultCache;
  }

  @Override
  public boolean differsBetweenPlaces() {
    return readsName;
  }

  @Override
  public boolean tellsMigDevicesApart() {
    return readsName || readsUuid;
  }

  @Override
  public boolean differsBetweenNodes() {
    return readsUnique;
  }

  @Override
  public int steps() {
    return steps;
  }

  /** The condition without each of its parts in turn. */
  ImmutableList<RelaxedCondition> relaxed() {
    ImmutableList.Builder<RelaxedCondition> relaxed = ImmutableList.builder();
    if (!terms.products.isEmpty()) {
      Terms rest = terms.with(ImmutableList.of(), terms.expressions);
      relaxed.add(relaxed("product " + terms.names(), rest));
    }
    if (!terms.memory.isEmpty()) {
      Terms rest = terms.with(OptionalLong.empty(), terms.capabilities);
      relaxed.add(
          new RelaxedCondition("memory >= " + terms.memory, with(rest), /* ofMemory= */ true));
    }
    terms.capabilities.forEach(one -> relaxed.add(relaxed(one, terms.without(one))));
    terms.expressions.forEach(one -> relaxed.add(relaxed(one.text(), terms.without(one))));
    return relaxed.build();
  }

  private RelaxedCondition relaxed(String part, Terms rest) {
    return new RelaxedCondition(part, with(rest), /* ofMemory= */ false);
  }

  /** Each node is evaluated once, so the answers need no place. */
  private GpuCondition with(Terms rest) {
    return new GpuCondition(
        driver, rest, conditionCompiler, conditionResultCache, ConditionResultCache.NOT_KEPT);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof GpuCondition condition
            && hash == condition.hash
            && driver.equals(condition.driver)
            && terms.equals(condition.terms));
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String text() {
    return terms.text();
  }

  @Override
  public long matching(Inventory inventory) {
    return matching(inventory, whole, Optional.empty());
  }

  @Override
  public long matching(Inventory inventory, Part.Slice slice) {
    Question question = new Question(number, slice.profile(), part(slice));
    return matching(inventory, question, Optional.of(new MigDevice(slice, Optional.empty())));
  }

  @Override
  public boolean matches(Inventory inventory, int gpu, Part.Slice slice, String uuid) {
    boolean alone = tellsMigDevicesApart() || number == ConditionResultCache.NOT_KEPT;
    if (alone && gpu < Long.SIZE) {
      return holds(inventory, gpu, Optional.of(new MigDevice(slice, Optional.of(uuid))));
    }
    return gpu < Long.SIZE && DevicePredicate.super.matches(inventory, gpu, slice, uuid);
  }

  /**
   * MIG devices of one profile on one GPU differ in their names only, which few conditions read.
   */
  private int part(Part.Slice slice) {
    int compute = slice.instance().map(Part.Instance::compute).orElse(0);
    int instance = slice.instance().map(Part.Instance::start).orElse(0);
    return readsName ? slice.start() << 16 | instance << 8 | compute : compute;
  }

  private long matching(Inventory inventory, Question question, Optional<MigDevice> mig) {
    OptionalLong known = conditionResultCache.find(question, inventory);
    if (known.isPresent()) {
      return known.getAsLong();
    }
    long matching = 0;
    for (int i = 0; i < Math.min(Long.SIZE, inventory.gpus().size()); i++) {
      matching |= holds(inventory, i, mig) ? 1L << i : 0;
    }
    conditionResultCache.put(question, inventory, matching);
    return matching;
  }

  private boolean holds(Inventory inventory, int index, Optional<MigDevice> mig) {
    Gpu gpu = inventory.gpus().get(index);
    return (mig.isEmpty() || offers(gpu, mig.get().slice().profile()))
        && terms.holds(new CelDevice(driver, inventory, gpu, mig), conditionCompiler);
  }

  private static boolean offers(Gpu gpu, String profile) {
    return gpu.model().migProfiles().stream().anyMatch(one -> one.name().equals(profile));
  }
}
