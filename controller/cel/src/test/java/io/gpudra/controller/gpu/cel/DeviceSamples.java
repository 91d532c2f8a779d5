package io.gpudra.controller.gpu.cel;

import static io.gpudra.crds.testing.GpuModels.sized;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.model.Part;
import io.gpudra.crds.model.node.AttributeValues;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.Inventory;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.crds.testing.GpuModels;
import io.gpudra.crds.testing.NodeFixture;
import io.gpudra.crds.testing.Taints;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Nodes and their GPUs to be judged. */
public final class DeviceSamples {

  public static final String DRIVER = "gpu.resource.example.com";

  public static final GpuModel A100 = GpuModels.A100_80;
  public static final GpuModel T4 = GpuModels.T4;

  public static final MigProfile SMALL = profile("1g.10gb", 1, 1, 0, 1, 2, 3, 4, 5, 6);
  public static final MigProfile MEDIA = profile("1g.10gb+me", 1, 1, 0, 1, 2, 3, 4, 5, 6);
  public static final MigProfile HALF = profile("3g.40gb", 3, 4, 0, 4);

  /** An A100 that can be cut. */
  public static final GpuModel A100_MIG = GpuModels.cut(A100, SMALL, MEDIA, HALF);

  private DeviceSamples() {}

  private static MigProfile profile(String name, int compute, int size, Integer... starts) {
    return sized(
        size * (10L << 30) - (1L << 28),
        GpuModels.profile(name, compute, size, starts.length, starts));
  }

  /** All of a MIG device. */
  public static Part.Slice slice(MigProfile profile, int start) {
    return GpuModels.slice(profile, start);
  }

  public static Gpu gpu(int index, GpuModel model, Gpu.MigMode mig) {
    return gpu(index, model, MigState.of(mig));
  }

  public static Gpu gpu(int index, GpuModel model, MigState mig) {
    return gpu("gpu-" + index, "GPU-" + index, index, model, mig);
  }

  public static Gpu named(String name, String uuid, int index) {
    return gpu(name, uuid, index, A100, MigState.of(Gpu.MigMode.DISABLED));
  }

  private static Gpu gpu(String name, String uuid, int index, GpuModel model, MigState mig) {
    return new Gpu.Builder(uuid, index, model, model.nominalMemoryBytes() - (431L << 20))
        .name(name)
        .pcieBusId("0000:0" + index + ":00.0")
        .pcieRoot("pci0000:00")
        .attributes(AttributeValues.parse(ImmutableMap.of("pcieDeviceID", "20b2")))
        .numaNode(index / 4)
        .mig(mig)
        .build();
  }

  public static Inventory node(String name, GpuModel... models) {
    return inventory(
        name,
        IntStream.range(0, models.length)
            .mapToObj(i -> gpu(i, models[i], usualMode(models[i])))
            .collect(ImmutableList.toImmutableList()));
  }

  private static Gpu.MigMode usualMode(GpuModel model) {
    return model.equals(T4) ? Gpu.MigMode.UNSUPPORTED : Gpu.MigMode.DISABLED;
  }

  public static Inventory inventory(String name, ImmutableList<Gpu> gpus, GpuLink... links) {
    return NodeFixture.node(name).gpus(gpus).links(links).inventory();
  }

  /** Writes down what it is told. */
  public static class Told implements ConditionAlerts {
    public final List<String> told = new ArrayList<>();

    @Override
    public void conditionFailed(String expression, String problem) {
      told.add("failed " + expression);
    }

    @Override
    public void conditionBroken(String expression, String result) {
      told.add("broken " + expression + " " + result);
    }
  }

  /** What is wrong with a GPU or a MIG device. */
  public static DeviceTaint xid(int number) {
    return taint("xid", "XID " + number);
  }

  /** The same, of another kind of health. */
  public static DeviceTaint taint(String kind, String reason) {
    return Taints.noSchedule(DRIVER + "/" + kind, reason);
  }
}
