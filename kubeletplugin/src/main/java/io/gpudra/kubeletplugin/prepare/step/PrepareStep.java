package io.gpudra.kubeletplugin.prepare.step;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.kubeletplugin.cdi.CdiSpec;
import io.gpudra.kubeletplugin.cdi.CdiSpecs;
import io.gpudra.kubeletplugin.cdi.InjectedDevice;
import java.io.IOException;

/**
 * One change for a claim, with its undo. Both are repeatable, and an undo may run without the
 * change.
 */
public interface PrepareStep {

  void apply() throws IOException;

  void undo() throws IOException;

  /** Writes the edits that the container runtime applies. */
  record WriteSpec(LocalNode node, CdiSpecCache specs, ClaimUid claim, Grant grant)
      implements PrepareStep {
    @Override
    public void apply() throws IOException {
      specs.write(claim, grant.devices().isEmpty() ? monitorSpec() : spec(injected()));
    }

    /** A claim without devices monitors all of them. */
    private CdiSpec monitorSpec() throws IOException {
      ImmutableList<InjectedDevice> all =
          node.devices().gpus().stream()
              .map(
                  gpu ->
                      new InjectedDevice(
                          gpu, new GrantedDevice(gpu.name(), gpu.uuid()), gpu.uuid()))
              .collect(toImmutableList());
      return of(all).forMonitor();
    }

    private ImmutableList<InjectedDevice> injected() throws IOException {
      ImmutableList.Builder<InjectedDevice> injected = ImmutableList.builder();
      for (GrantedDevice device : grant.devices()) {
        if (!device.parent()) {
          injected.add(injected(device));
        }
      }
      return injected.build();
    }

    private InjectedDevice injected(GrantedDevice device) throws IOException {
      Gpu gpu = GpuSteps.gpu(node.devices(), device.uuid());
      return new InjectedDevice(gpu, device, GpuSteps.uuid(node.devices(), device));
    }

    private CdiSpec of(ImmutableList<InjectedDevice> devices) throws IOException {
      CdiSpec spec = CdiSpec.of(node.specs().names(), node.name(), claim, devices);
      for (InjectedDevice device : devices) {
        spec = spec.with(node.devices().deviceEdits(device.gpu().uuid(), device.slice()));
      }
      return spec;
    }

    private CdiSpec spec(ImmutableList<InjectedDevice> devices) throws IOException {
      CdiSpec spec = of(devices);
      return MpsClients.of(grant)
          .map(clients -> node.devices().mpsPaths(clients.name()))
          .map(mps -> spec.withMps(mps.pipes().toString(), mps.memory().toString(), devices))
          .orElse(spec);
    }

    @Override
    public void undo() throws IOException {
      specs.remove(claim);
    }
  }

  /** Removes the spec file, if there is one. */
  record RemoveSpec(CdiSpecs specs, ClaimUid claim) implements PrepareStep {
    @Override
    public void apply() {}

    @Override
    public void undo() throws IOException {
      specs.remove(claim);
    }
  }
}
