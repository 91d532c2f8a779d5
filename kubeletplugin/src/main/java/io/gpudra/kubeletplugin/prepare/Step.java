package io.gpudra.kubeletplugin.prepare;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Gpu;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.kubeletplugin.cdi.CdiSpec;
import io.gpudra.kubeletplugin.cdi.CdiSpecs;
import io.gpudra.kubeletplugin.device.Devices;
import java.io.IOException;

/**
 * One thing to do for a claim, with its undo. Both are repeatable, and undo may come without apply.
 */
interface Step {

  void apply() throws IOException;

  void undo() throws IOException;

  /** Makes one GPU ready. */
  record SetUpGpu(Devices devices, GrantedDevice device) implements Step {
    @Override
    public void apply() throws IOException {
      devices.setUp(device.uuid());
    }

    @Override
    public void undo() throws IOException {
      devices.tearDown(device.uuid());
    }
  }

  /** Tells the container runtime what to inject. */
  record WriteSpec(LocalNode node, ClaimUid claim, Grant grant) implements Step {
    @Override
    public void apply() throws IOException {
      ImmutableList.Builder<Gpu> gpus = ImmutableList.builder();
      for (GrantedDevice device : grant.devices()) {
        gpus.add(
            node.devices()
                .find(device.uuid())
                .orElseThrow(() -> new IOException("the node has no GPU " + device.uuid())));
      }
      CdiSpecs specs = node.specs();
      specs.write(claim, CdiSpec.forWholeGpus(specs.names(), node.name(), claim, gpus.build()));
    }

    @Override
    public void undo() throws IOException {
      node.specs().remove(claim);
    }
  }

  /** Sees to it that no spec file is left. */
  record RemoveSpec(CdiSpecs specs, ClaimUid claim) implements Step {
    @Override
    public void apply() {}

    @Override
    public void undo() throws IOException {
      specs.remove(claim);
    }
  }
}
