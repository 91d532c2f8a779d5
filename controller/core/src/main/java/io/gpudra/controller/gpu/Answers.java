package io.gpudra.controller.gpu;

import com.google.common.cache.Cache;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.crds.model.node.Inventory;
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
  private static final int ANSWER = 32;

  private final Cache<Inventory, AtomicReferenceArray<@Nullable Answer>> byInventory;

  /**
   * Remembers nothing yet.
   *
   * @param share of the {@link MemoryBudget}
   */
  Answers(int share) {
    this.byInventory =
        MemoryBudget.ANSWERS
            .<Inventory, AtomicReferenceArray<@Nullable Answer>>cache(
                share, (inventory, answers) -> MemoryBudget.ENTRY + PLACES * (PLACE + ANSWER))
            .weakKeys()
            .build();
  }

  /**
   * What is asked of every GPU of a node.
   *
   * @param profile of the MIG device there; empty for the whole GPU
   * @param part which of the MIG devices of that profile, as far as the condition tells them apart
   */
  record Question(GpuCondition condition, String profile, int part) {

    private int place() {
      return Math.floorMod(condition.place() + 31 * profile.hashCode() + part, PLACES);
    }

    private boolean isOf(Answer answer) {
      return part == answer.part
          && profile.equals(answer.profile)
          && condition.equals(answer.condition);
    }
  }

  /** Flat, since there are many. */
  private record Answer(GpuCondition condition, String profile, int part, long matching) {}

  OptionalLong find(Question question, Inventory inventory) {
    AtomicReferenceArray<@Nullable Answer> answers = byInventory.getIfPresent(inventory);
    Answer answer = answers == null ? null : answers.get(question.place());
    return answer != null && question.isOf(answer)
        ? OptionalLong.of(answer.matching)
        : OptionalLong.empty();
  }

  void put(Question question, Inventory inventory, long matching) {
    Answer answer = new Answer(question.condition, question.profile, question.part, matching);
    byInventory
        .asMap()
        .computeIfAbsent(inventory, any -> new AtomicReferenceArray<>(PLACES))
        .set(question.place(), answer);
  }
}
