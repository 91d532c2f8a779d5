package io.gpudra.kubeletplugin.prepare;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.Sharing;
import io.gpudra.crds.model.Sharing.TimeSlicing;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.kubeletplugin.cdi.CdiNames;
import io.gpudra.kubeletplugin.device.Devices;
import io.gpudra.kubeletplugin.prepare.step.GpuLocks;
import io.gpudra.kubeletplugin.prepare.step.GpuSteps.KeepForServer;
import io.gpudra.kubeletplugin.prepare.step.GpuSteps.Locked;
import io.gpudra.kubeletplugin.prepare.step.GpuSteps.MakeComputeInstance;
import io.gpudra.kubeletplugin.prepare.step.GpuSteps.MakeGpuInstance;
import io.gpudra.kubeletplugin.prepare.step.GpuSteps.RunMps;
import io.gpudra.kubeletplugin.prepare.step.GpuSteps.SetTimeSlice;
import io.gpudra.kubeletplugin.prepare.step.GpuSteps.SetUpGpu;
import io.gpudra.kubeletplugin.prepare.step.GpuSteps.SwitchMig;
import io.gpudra.kubeletplugin.prepare.step.GpuSteps.UntilLost;
import io.gpudra.kubeletplugin.prepare.step.KeptSpecs;
import io.gpudra.kubeletplugin.prepare.step.LocalNode;
import io.gpudra.kubeletplugin.prepare.step.MpsClients;
import io.gpudra.kubeletplugin.prepare.step.PreparePlan;
import io.gpudra.kubeletplugin.prepare.step.Step;
import java.util.function.BooleanSupplier;

/** Says which steps lead to a claim's grant, and so which undo it. */
record Planner(LocalNode node, NodeClaims claims, GpuLocks locks, KeptSpecs specs) {

  /** Devices first: the spec file is what makes them usable. */
  PreparePlan of(ClaimUid claim, Grant grant) {
    ImmutableList.Builder<Step> steps = ImmutableList.builder();
    for (GrantedDevice device : grant.devices()) {
      steps(claim, device).forEach(step -> steps.add(on(device.uuid(), step)));
    }
    MpsClients.of(grant).map(clients -> run(claim, clients)).ifPresent(steps::add);
    return new PreparePlan(steps.add(new Step.WriteSpec(node, specs, claim, grant)).build());
  }

  private Step on(String gpu, Step step) {
    return new Locked(locks, gpu, new UntilLost(node.devices(), gpu, step));
  }

  /** Of whatever is left of a claim. */
  PreparePlan toUndo(ClaimUid claim) {
    return claims
        .state(claim)
        .holding()
        .map(held -> of(claim, held.grant()))
        .orElseGet(() -> strayFile(claim));
  }

  /**
   * A claim that holds nothing can only have left its file; with an impossible UID not even that.
   */
  private PreparePlan strayFile(ClaimUid claim) {
    return new PreparePlan(
        CdiNames.canName(claim)
            ? ImmutableList.of(new Step.RemoveSpec(node.specs(), claim))
            : ImmutableList.of());
  }

  private ImmutableList<Step> steps(ClaimUid claim, GrantedDevice device) {
    if (device.part().part() instanceof Slice slice) {
      return cut(claim, device, slice);
    }
    return device.parent()
        ? ImmutableList.of(new SwitchMig(node.devices(), device.uuid(), MigMode.ENABLED))
        : use(claim, device);
  }

  /** A MIG device that was there before is only looked for, by the spec file. */
  private ImmutableList<Step> cut(ClaimUid claim, GrantedDevice device, Slice slice) {
    if (device.part().existing()) {
      return ImmutableList.of();
    }
    Devices devices = node.devices();
    String gpu = device.uuid();
    Slice instance = slice.wholeInstance();
    ImmutableList.Builder<Step> steps = ImmutableList.builder();
    steps.add(new SwitchMig(devices, gpu, MigMode.ENABLED));
    steps.add(new MakeGpuInstance(devices, gpu, instance, () -> needed(claim, gpu, instance)));
    if (!device.parent()) {
      steps.add(new MakeComputeInstance(devices, gpu, slice));
    }
    return steps.build();
  }

  /** Who is about to leave, and has a compute instance left, comes to the GPU instance later. */
  private boolean needed(ClaimUid claim, String gpu, Slice instance) {
    return claims.neededBeside(claim).needsInstance(gpu, instance)
        || node.devices().find(gpu).stream()
            .map(claims.leavingBeside(claim)::withOwners)
            .flatMap(owned -> owned.mig().devices().stream())
            .filter(device -> device.slice().sameInstance(instance))
            .anyMatch(
                device -> device.claim().isPresent() && device.slice().instance().isPresent());
  }

  private ImmutableList<Step> use(ClaimUid claim, GrantedDevice device) {
    Devices devices = node.devices();
    String gpu = device.uuid();
    BooleanSupplier shared = () -> claims.neededBeside(claim).shares(gpu);
    Sharing sharing = device.part().sharing();
    ImmutableList.Builder<Step> steps = ImmutableList.builder();
    steps.add(new SwitchMig(devices, gpu, MigMode.DISABLED));
    steps.add(new SetUpGpu(devices, gpu, shared));
    if (MpsClients.isServed(sharing)) {
      steps.add(new KeepForServer(devices, gpu, shared));
    } else if (!sharing.equals(Sharing.NONE)) {
      steps.add(new SetTimeSlice(devices, gpu, ((TimeSlicing) sharing).interval(), shared));
    }
    return steps.build();
  }

  private Step run(ClaimUid claim, MpsClients clients) {
    String gpu = clients.devices().get(0).uuid();
    return new Locked(
        locks,
        gpu,
        new RunMps(node.devices(), clients, () -> claims.neededBeside(claim).shares(gpu)));
  }
}
