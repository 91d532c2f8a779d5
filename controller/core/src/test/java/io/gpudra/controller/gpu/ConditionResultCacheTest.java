package io.gpudra.controller.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.gpu.ConditionResultCache.Question;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.crds.model.node.Inventory;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ConditionResultCacheTest {
  private static final Inventory NODE = DeviceSamples.node("worker", DeviceSamples.A100_MIG);

  private final ConditionResultCache conditionResultCache =
      new ConditionResultCache(MemoryBudget.ALL);

  private static ImmutableList<Question> ofEachPlace(int condition) {
    return IntStream.range(0, 7)
        .mapToObj(start -> new Question(condition, "1g.10gb", start << 16))
        .collect(ImmutableList.toImmutableList());
  }

  @Test
  void answersForAllStartsOfAProfileAreKeptForSeveralConditions() {
    for (int condition = 0; condition < 4; condition++) {
      ofEachPlace(condition).forEach(question -> conditionResultCache.put(question, NODE, 1));
    }

    for (int condition = 0; condition < 4; condition++) {
      assertThat(ofEachPlace(condition))
          .allSatisfy(
              question -> assertThat(conditionResultCache.find(question, NODE)).hasValue(1));
    }
  }
}
