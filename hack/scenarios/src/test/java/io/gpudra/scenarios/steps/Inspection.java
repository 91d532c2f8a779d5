package io.gpudra.scenarios.steps;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.crds.model.GrantedDevice;
import io.gpudra.crds.model.GrantedPart;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.SharingStrategy.Interval;
import io.gpudra.crds.model.SharingStrategy.TimeSlicing;
import io.gpudra.crds.model.node.MigState;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whether a machine has what its claims need, and at rest nothing else.
 *
 * @param granted what is held, by claim
 */
record Inspection(Machine machine, ImmutableList<List<GrantedDevice>> granted) {

  /** Of what the plugin wrote down. */
  static Inspection of(Machine machine) {
    return new Inspection(
        machine,
        machine.checkpoint().stream()
            .flatMap(known -> known.claims().values().stream())
            .map(entry -> entry.grant().devices())
            .collect(toImmutableList()));
  }

  /** Of one claim, whether it is prepared or not. */
  static Inspection of(Machine machine, ClaimUid claim) {
    return new Inspection(
        machine,
        machine.checkpoint().map(Checkpoint::claims).stream()
            .flatMap(claims -> Stream.ofNullable(claims.get(claim)))
            .map(entry -> entry.grant().devices())
            .collect(toImmutableList()));
  }

  /** What is too much or too little; nobody is about to change anything. */
  Optional<String> disorder() {
    return differ("GPUs set up", machine.hardware().devices().ready(), setUp())
        .or(() -> differ("settings", machine.hardware().devices().settings(), settings()))
        .or(() -> differ("servers", machine.hardware().servers().running(), servers()))
        .or(() -> differ("MIG devices", madeNow(), made()));
  }

  /** What of it is not there. */
  Optional<String> lack() {
    return missing(machine.hardware().devices().ready(), setUp())
        .or(() -> missing(machine.hardware().devices().settings(), settings()))
        .or(() -> missing(machine.hardware().servers().running(), servers()))
        .or(() -> missing(madeNow(), made()));
  }

  private Optional<String> differ(
      String what, ImmutableSet<String> there, ImmutableSet<String> needed) {
    return there.equals(needed)
        ? Optional.empty()
        : Optional.of("%s on %s: %s, needed %s".formatted(what, machine.name(), there, needed));
  }

  private static Optional<String> missing(ImmutableSet<String> there, ImmutableSet<String> needed) {
    return needed.stream().filter(one -> !there.contains(one)).findFirst();
  }

  private Stream<GrantedDevice> devices() {
    return granted.stream().flatMap(List::stream);
  }

  /** GPUs that containers use as such, all of them or shares. */
  private Stream<GrantedPart> gpus() {
    return devices()
        .filter(device -> !device.parent())
        .map(GrantedDevice::part)
        .filter(part -> !(part.part() instanceof Slice));
  }

  private ImmutableSet<String> setUp() {
    return gpus().map(GrantedPart::gpuUuid).collect(toImmutableSet());
  }

  private ImmutableSet<String> settings() {
    return gpus().flatMap(part -> setting(part).stream()).collect(toImmutableSet());
  }

  private static Optional<String> setting(GrantedPart part) {
    if (!(part.sharing() instanceof TimeSlicing turns)) {
      return Optional.of(part.gpuUuid() + " exclusive");
    }
    return turns.interval() == Interval.DEFAULT
        ? Optional.empty()
        : Optional.of(part.gpuUuid() + " " + turns.interval().text());
  }

  /** One for each GPU of shares, else one for each claim. */
  private ImmutableSet<String> servers() {
    return granted.stream()
        .flatMap(
            devices ->
                devices.stream()
                    .filter(device -> !device.parent())
                    .filter(device -> !(device.part().sharing() instanceof TimeSlicing))
                    .limit(1))
        .map(GrantedDevice::name)
        .collect(toImmutableSet());
  }

  private ImmutableSet<String> made() {
    return devices()
        .filter(device -> !device.part().existing())
        .filter(device -> device.part().part() instanceof Slice)
        .flatMap(device -> names(device.part().gpuUuid(), (Slice) device.part().part()))
        .collect(toImmutableSet());
  }

  /** Of the GPU instance and, when there are several in it, of the compute instance. */
  private static Stream<String> names(String gpu, Slice slice) {
    return Stream.of(slice.wholeInstance().nameOn(gpu), slice.nameOn(gpu));
  }

  private ImmutableSet<String> madeNow() {
    Iterable<MigState.Device> before =
        Iterables.concat(
            machine.gpus().stream().map(gpu -> gpu.mig().devices()).collect(toImmutableList()));
    return machine.hardware().devices().gpus().stream()
        .flatMap(
            gpu ->
                gpu.mig().devices().stream()
                    .filter(device -> !Iterables.contains(before, device))
                    .flatMap(device -> names(gpu.uuid(), device.slice())))
        .collect(toImmutableSet());
  }
}
