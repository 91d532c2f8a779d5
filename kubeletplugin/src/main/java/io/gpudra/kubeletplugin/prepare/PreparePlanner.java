package io.gpudra.kubeletplugin.prepare;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.Grant;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy;
import io.gpudra.crds.model.SharingStrategy.TimeSlicing;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.kubeletplugin.cdi.CdiNames;
import io.gpudra.kubeletplugin.device.GpuDevices;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.prepare.step.CdiSpecCache;
import io.gpudra.kubeletplugin.prepare.step.CreatedMigDevice;
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
import io.gpudra.kubeletplugin.prepare.step.LocalNode;
import io.gpudra.kubeletplugin.prepare.step.MpsClients;
import io.gpudra.kubeletplugin.prepare.step.PreparePlan;
import io.gpudra.kubeletplugin.prepare.step.PrepareStep;
import java.io.IOException;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Plans the steps that prepare a claim's grant, and so the steps that undo it. */
record PreparePlanner(LocalNode node, NodeClaims claims, GpuLocks locks, CdiSpecCache specs) {

  /** Devices first: the spec file is what makes them usable. */
  PreparePlan of(ClaimUid claim, Grant grant) {
    ImmutableList.Builder<PrepareStep> steps = ImmutableList.builder();
    for (GrantedDevice device : grant.devices()) {
      steps(claim, device).forEach(step -> steps.add(on(device.uuid(), step)));
    }
    steps.addAll(computeInstances(claim, grant));
    MpsClients.of(grant).map(clients -> run(claim, clients)).ifPresent(steps::add);
    return new PreparePlan(steps.add(new PrepareStep.WriteSpec(node, specs, claim, grant)).build());
  }

  /** If a process dies before it notes a device, the device has no compute instance either. */
  private ImmutableList<PrepareStep> computeInstances(ClaimUid claim, Grant grant) {
    ImmutableList.Builder<PrepareStep> steps = ImmutableList.builder();
    steps.add(new WriteNotes(claims));
    for (GrantedDevice device : grant.devices()) {
      CreatedMigDevice.nameOf(device)
          .filter(name -> !device.parent())
          .map(name -> makeComputeInstance(device, new NotesOf(claims, claim, name)))
          .ifPresent(step -> steps.add(on(device.uuid(), step)));
    }
    return steps.build();
  }

  private PrepareStep makeComputeInstance(GrantedDevice device, CreatedMigDevice.Notes notes) {
    Slice slice = (Slice) device.part().part();
    return new MakeComputeInstance(node.devices(), device.uuid(), slice, notes);
  }

  private PrepareStep on(String gpu, PrepareStep step) {
    return new Locked(locks, gpu, new UntilLost(node.devices(), gpu, step));
  }

  /** The plan that undoes what is left of a claim. */
  PreparePlan toUndo(ClaimUid claim) {
    return claims
        .state(claim)
        .holding()
        .map(held -> of(claim, held.grant()))
        .orElseGet(() -> strayFile(claim));
  }

  /**
   * A claim that holds nothing can only have left its file; with an impossible UID, not even this.
   */
  PreparePlan strayFile(ClaimUid claim) {
    return new PreparePlan(
        CdiNames.canName(claim)
            ? ImmutableList.of(new PrepareStep.RemoveSpec(node.specs(), claim))
            : ImmutableList.of());
  }

  private ImmutableList<PrepareStep> steps(ClaimUid claim, GrantedDevice device) {
    if (device.part().part() instanceof Slice slice) {
      return CreatedMigDevice.nameOf(device)
          .map(name -> cut(claim, device.uuid(), slice, name))
          .orElse(ImmutableList.of());
    }
    return device.parent()
        ? ImmutableList.of(new SwitchMig(node.devices(), device.uuid(), MigMode.ENABLED))
        : use(claim, device);
  }

  /** The steps for a MIG device; a static one is only found, by the spec file. */
  private ImmutableList<PrepareStep> cut(ClaimUid claim, String gpu, Slice slice, String name) {
    Slice instance = slice.wholeInstance();
    return ImmutableList.of(
        new SwitchMig(node.devices(), gpu, MigMode.ENABLED),
        new MakeGpuInstance(
            node.devices(),
            gpu,
            slice,
            new NotesOf(claims, claim, name),
            () -> isShared(claim, gpu, instance),
            () -> needed(claim, gpu, instance)));
  }

  /** Whether another claim has a part of it, or this claim created it for another device. */
  private boolean isShared(ClaimUid claim, String gpu, Slice instance) {
    return claims.heldBeside(claim).needsInstance(gpu, instance)
        || claims.state(claim).holding().stream()
            .flatMap(held -> held.grant().devices().stream())
            .filter(device -> device.uuid().equals(gpu) && isOf(instance, device))
            .flatMap(device -> CreatedMigDevice.nameOf(device).stream())
            .anyMatch(name -> !claims.made(claim, name).equals(CreatedMigDevice.NOTHING));
  }

  private static boolean isOf(Slice instance, GrantedDevice device) {
    return device.part().part() instanceof Slice slice && slice.sameInstance(instance);
  }

  /** A claim being undone that has a compute instance left comes to the GPU instance later. */
  private boolean needed(ClaimUid claim, String gpu, Slice instance) {
    return claims.neededBeside(claim).needsInstance(gpu, instance)
        || node.devices().find(gpu).stream()
            .map(claims.undoingBeside(claim)::withOwners)
            .flatMap(owned -> owned.mig().devices().stream())
            .filter(device -> device.slice().sameInstance(instance))
            .anyMatch(
                device -> device.claim().isPresent() && device.slice().instance().isPresent());
  }

  private ImmutableList<PrepareStep> use(ClaimUid claim, GrantedDevice device) {
    GpuDevices devices = node.devices();
    String gpu = device.uuid();
    BooleanSupplier shared = () -> claims.neededBeside(claim).shares(gpu);
    SharingStrategy sharing = device.part().sharing();
    ImmutableList.Builder<PrepareStep> steps = ImmutableList.builder();
    steps.add(new SwitchMig(devices, gpu, MigMode.DISABLED));
    steps.add(new SetUpGpu(devices, gpu, shared));
    if (MpsClients.isServed(sharing)) {
      steps.add(new KeepForServer(devices, gpu, shared));
    } else if (!sharing.equals(SharingStrategy.NONE)) {
      steps.add(new SetTimeSlice(devices, gpu, ((TimeSlicing) sharing).interval(), shared));
    }
    return steps.build();
  }

  private PrepareStep run(ClaimUid claim, MpsClients clients) {
    String gpu = clients.devices().get(0).uuid();
    return new Locked(
        locks,
        gpu,
        new RunMps(node.devices(), clients, () -> claims.neededBeside(claim).shares(gpu)));
  }

  private record NotesOf(NodeClaims claims, ClaimUid claim, String device)
      implements CreatedMigDevice.Notes {
    @Override
    public CreatedMigDevice made() {
      return claims.made(claim, device);
    }

    @Override
    public void record(CreatedMigDevice createdMigDevice) {
      claims.note(claim, device, createdMigDevice);
    }
  }

  private record WriteNotes(NodeClaims claims) implements PrepareStep {
    @Override
    public void apply() throws IOException {
      Optional<PrepareRefusal> unwritten = claims.with(CheckpointCache::writeNotes);
      if (unwritten.isPresent()) {
        throw new IOException(unwritten.get().text());
      }
    }

    @Override
    public void undo() {}
  }
}
