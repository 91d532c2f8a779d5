package io.gpudra.crds.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.crds.api.NodeInventory;
import io.gpudra.crds.inventory.InventoryCodec.Publisher;
import io.gpudra.crds.inventory.InventoryCodec.Reading;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.model.node.NodeState;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.NodeFixture;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** GPUs of one product of which a driver does not tell the same. */
class OneModelTest {
  private static final String DRIVER = "gpu.resource.example.com";
  private static final NodeState NODE = NodeFixture.ready("worker-1");
  private static final ImmutableSortedSet<String> LINKED = ImmutableSortedSet.of("mig", "nvlink");
  private static final ImmutableList<MigProfile> PROFILES =
      ImmutableList.of(
          GpuModels.sized(4_864L << 20, GpuModels.profile("1g.5gb", 1, 1, 7, 0, 1, 2, 3)));

  private static GpuModel model(
      ImmutableSortedSet<String> capabilities, ImmutableList<MigProfile> profiles) {
    return new GpuModel(
        "NVIDIA A100-SXM4-40GB", "Nvidia", "Ampere", "8.0", 40L << 30, capabilities, profiles);
  }

  private static Gpu gpu(int index, GpuModel model, MigMode mode) {
    return GpuModels.gpu("GPU-" + index, index, model).with(MigState.of(mode));
  }

  private static Reading published(Gpu... gpus) {
    Inventory inventory = NodeFixture.node("worker-1").gpus(ImmutableList.copyOf(gpus)).inventory();
    Publisher publisher = new Publisher(DRIVER, "0.1.0", "boot", 30);
    return InventoryCodec.read(
        new NodeInventory(
            null,
            null,
            null,
            null,
            InventoryCodec.write(inventory, publisher, Instant.EPOCH, ImmutableList.of())),
        NODE,
        DRIVER);
  }

  /** In MIG mode a driver tells no NVLink, and outside of it some tell no profiles. */
  @Test
  void hasAllThatTheDriverToldOfAny() {
    GpuModel cut = model(ImmutableSortedSet.of("mig"), PROFILES);
    GpuModel whole = model(LINKED, ImmutableList.of());

    isOne(published(gpu(0, cut, MigMode.ENABLED), gpu(1, whole, MigMode.DISABLED)));
    isOne(published(gpu(0, whole, MigMode.DISABLED), gpu(1, cut, MigMode.ENABLED)));
  }

  private static void isOne(Reading reading) {
    assertThat(reading.problems()).isEmpty();
    assertThat(reading.inventory().gpus())
        .extracting(Gpu::model)
        .containsOnly(model(LINKED, PROFILES));
  }
}
