package io.gpudra.kubeletplugin.testing;

import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.device.mps.MpsServers;
import io.gpudra.stubdriver.StubDriver;
import java.io.IOException;
import java.util.stream.Stream;

/** The driver of a {@link FakeNode}, which outlives the processes on it. */
public interface NodeDriver {

  /** A session of a process. */
  GpuDevices open(MpsServers mps) throws IOException;

  /** What of a GPU is not as it is after a boot. */
  ImmutableSet<String> settings(Gpu gpu);

  /** One that is not there. */
  record OfStub(StubDriver stub) implements NodeDriver {
    @Override
    public GpuDevices open(MpsServers mps) throws IOException {
      return Stubs.open(stub, mps);
    }

    @Override
    public ImmutableSet<String> settings(Gpu gpu) {
      return Stream.of("compute_mode", "time_slice")
          .filter(what -> stub.get(gpu.uuid(), what) != 0)
          .map(what -> gpu.uuid() + " " + what)
          .collect(ImmutableSet.toImmutableSet());
    }
  }
}
