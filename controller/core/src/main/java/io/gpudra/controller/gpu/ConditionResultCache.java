package io.gpudra.controller.gpu;

import com.google.common.cache.Cache;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.crds.model.node.Inventory;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Caches the results of conditions by the identity of the inventory, which changes only with the
 * node. An inventory has places for the last conditions, so the size depends on the number of
 * nodes, not of conditions.
 */
final class ConditionResultCache {

  /** The number of conditions with results; later conditions overwrite earlier ones. */
  static final int PLACES = 128;

  /** The number of conditions that are evaluated once, whose answers take no place. */
  static final int NOT_KEPT = -1;

  private static final int PLACE = 4;
  private static final int ANSWER = 32;

  private final AtomicInteger conditions = new AtomicInteger();
  private final Cache<Inventory, AtomicReferenceArray<@Nullable Answer>> byInventory;

  /**
   * An empty cache.
   *
   * @param share of the {@link MemoryBudget}
   */
  ConditionResultCache(int share) {
    this.byInventory =
        MemoryBudget.ANSWERS
            .<Inventory, AtomicReferenceArray<@Nullable Answer>>cache(
                share, (inventory, answers) -> MemoryBudget.ENTRY + PLACES * (PLACE + ANSWER))
            .weakKeys()
            .build();
  }

  /**
   * A condition that is evaluated on every GPU of a node.
   *
   * @param condition its {@link #number}: the condition itself is as large as a tenant likes
   * @param profile of the MIG device there; empty for the whole GPU
   * @param part which of the MIG devices of that profile, as far as the condition tells them apart
   */
  record Question(int condition, String profile, int part) {

    private int place() {
      int spread = part + (part >>> 8) + 17 * (part >>> 16);
      return Math.floorMod(condition + 31 * profile.hashCode() + spread, PLACES);
    }

    private boolean isOf(Answer answer) {
      return condition == answer.condition && part == answer.part && profile.equals(answer.profile);
    }
  }

  /** Flat, since there are many. */
  private record Answer(int condition, String profile, int part, long matching) {}

  /** A new number for a condition. */
  int number() {
    return conditions.getAndIncrement();
  }

  OptionalLong find(Question question, Inventory inventory) {
    AtomicReferenceArray<@Nullable Answer> answers = byInventory.getIfPresent(inventory);
    Answer answer = answers == null ? null : answers.get(question.place());
    return answer != null && question.isOf(answer)
        ? OptionalLong.of(answer.matching)
        : OptionalLong.empty();
  }

  void put(Question question, Inventory inventory, long matching) {
    if (question.condition == NOT_KEPT) {
      return;
    }
    Answer answer = new Answer(question.condition, question.profile, question.part, matching);
    byInventory
        .asMap()
        .computeIfAbsent(inventory, any -> new AtomicReferenceArray<>(PLACES))
        .set(question.place(), answer);
  }
}
