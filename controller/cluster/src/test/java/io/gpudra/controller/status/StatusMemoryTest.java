package io.gpudra.controller.status;

import static io.gpudra.controller.gpu.cel.DeviceSamples.A100;
import static io.gpudra.controller.gpu.cel.DeviceSamples.DRIVER;
import static io.gpudra.controller.gpu.cel.DeviceSamples.node;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.gson.Gson;
import io.gpudra.controller.dra.WriteOutcome.Kind;
import io.gpudra.controller.gpu.ParametersReader;
import io.gpudra.controller.gpu.cel.DeviceSamples;
import io.gpudra.controller.loop.ObjectKey;
import io.gpudra.controller.loop.ReconcileResult;
import io.gpudra.controller.memory.LiveHeap;
import io.gpudra.controller.memory.MemoryBudget;
import io.gpudra.crds.api.parameters.GpuClaimParametersSpec;
import io.gpudra.crds.api.parameters.ParametersStatus;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is remembered of parameters that come and go. */
class StatusMemoryTest implements StatusObjects {
  private static final int OBJECTS = 4_000;
  private static final int LARGE = 10_000;

  private final Map<ObjectKey, StatusTarget> objects = new HashMap<>();
  private int writes;

  @Override
  public Optional<StatusTarget> find(ObjectKey key) {
    return Optional.ofNullable(objects.get(key));
  }

  @Override
  public ImmutableList<ObjectKey> keys() {
    return ImmutableList.of();
  }

  @Override
  public ImmutableSet<String> forbiddenAttributes() {
    return ImmutableSet.of();
  }

  @Override
  public Kind write(StatusTarget seen, ParametersStatus status) {
    writes++;
    return Kind.DONE;
  }

  private static StatusTarget large(ObjectKey key) {
    String json = "{'tolerations':[{'key':'%s'}]}".formatted("x".repeat(LARGE) + key.name());
    GpuClaimParametersSpec spec = new Gson().fromJson(json, GpuClaimParametersSpec.class);
    return new StatusTarget(key, "uid", 1, new StatusTarget.OfClaim(spec), StoredStatus.of(null));
  }

  @Test
  void whatWasSaidOfParametersStaysWithinItsBudget() throws InterruptedException {
    ParametersReconciler reconciler =
        new ParametersReconciler(
            this,
            new ParametersReconciler.Nodes(
                DRIVER,
                new ParametersReader(DRIVER, new DeviceSamples.Told()),
                () -> List.of(node("worker-1", A100))),
            new StatusRateLimiter(Duration.ZERO, () -> 0L, waited -> {}),
            new ParametersReconciler.Times(Clock.systemUTC(), () -> 0L),
            key -> {});
    assertThat(reconciler.reconcile(ParametersReconciler.NODES)).isNotNull();
    long before = LiveHeap.bytes();
    for (int i = 0; i < OBJECTS; i++) {
      ObjectKey key = new ObjectKey("team-a", "o" + i);
      objects.put(key, large(key));
      assertThat(reconciler.reconcile(key)).isEqualTo(ReconcileResult.done());
      objects.clear();
    }

    assertThat(writes).isEqualTo(OBJECTS);
    assertThat(LiveHeap.bytes() - before).isLessThan(MemoryBudget.STATUS.bytes());
  }
}
