package io.gpudra.controller.gpu;

import com.google.common.cache.Cache;
import io.gpudra.controller.gpu.cel.MemoBudget;
import io.gpudra.crds.model.Inventory;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What conditions answered for each inventory, by identity: a new one arrives only when something
 * of the node changed. An inventory has a place for each of the last conditions, so that what is
 * remembered is bounded by the nodes, however many conditions there are.
 */
final class Answers {

  /** Conditions that find their answers; with more, later ones overwrite those of earlier ones. */
  static final int PLACES = 128;

  private static final int PLACE = 4;
  private static final int ANSWER = 24;

  private final Cache<Inventory, AtomicReferenceArray<@Nullable Answer>> byInventory =
      MemoBudget.ANSWERS
          .<Inventory, AtomicReferenceArray<@Nullable Answer>>cache(
              (inventory, answers) -> MemoBudget.ENTRY + PLACES * (PLACE + ANSWER))
          .weakKeys()
          .build();

  private record Answer(GpuCondition of, long matching) {}

  OptionalLong find(GpuCondition condition, Inventory inventory) {
    AtomicReferenceArray<@Nullable Answer> answers = byInventory.getIfPresent(inventory);
    Answer answer = answers == null ? null : answers.get(condition.place());
    return answer != null && answer.of.equals(condition)
        ? OptionalLong.of(answer.matching)
        : OptionalLong.empty();
  }

  void put(GpuCondition condition, Inventory inventory, long matching) {
    byInventory
        .asMap()
        .computeIfAbsent(inventory, any -> new AtomicReferenceArray<>(PLACES))
        .set(condition.place(), new Answer(condition, matching));
  }
}
