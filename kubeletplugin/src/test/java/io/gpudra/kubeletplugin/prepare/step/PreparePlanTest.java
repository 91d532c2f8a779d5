package io.gpudra.kubeletplugin.prepare.step;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.testing.Faults;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class PreparePlanTest {

  private record Both(Faults.Hook hook) implements PrepareStep {
    @Override
    public void apply() throws IOException {
      hook.run();
    }

    @Override
    public void undo() throws IOException {
      hook.run();
    }
  }

  private static final PrepareStep STUCK =
      new Both(
          () -> {
            throw new IOException("the GPU is stuck");
          });

  private static final PrepareStep WRONG =
      new Both(
          () -> {
            throw new IllegalStateException("a defect");
          });

  private static PreparePlan plan(PrepareStep... steps) {
    return new PreparePlan(ImmutableList.copyOf(steps));
  }

  @Test
  void whatTheNodeSaysIsToldAsItIsAndOfADefectItsKind() {
    assertThat(plan(STUCK, WRONG).apply(PrepareCall.withoutDeadline()))
        .contains(
            new PrepareRefusal(PrepareRefusal.Kind.FAILED, "cannot prepare: the GPU is stuck"));
    assertThat(plan(WRONG, STUCK).apply(PrepareCall.withoutDeadline()))
        .contains(
            new PrepareRefusal(
                PrepareRefusal.Kind.FAILED,
                "cannot prepare: java.lang.IllegalStateException: a defect"));
  }

  @Test
  void allThatCannotBeUndoneIsTold() {
    assertThat(plan(WRONG, STUCK).undo())
        .contains(
            new PrepareRefusal(
                PrepareRefusal.Kind.FAILED,
                "cannot tear down: the GPU is stuck; java.lang.IllegalStateException: a defect"));
  }
}
