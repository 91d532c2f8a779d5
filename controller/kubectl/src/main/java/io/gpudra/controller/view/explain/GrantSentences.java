package io.gpudra.controller.view.explain;

import io.gpudra.controller.view.AgeText;
import io.gpudra.controller.view.DeviceHolder;
import io.gpudra.controller.view.PartText;
import io.gpudra.controller.view.explain.AllocationDetails.Consumer;
import io.gpudra.controller.view.explain.AllocationDetails.Device;
import io.gpudra.crds.api.parameters.GpuClaimParameters;
import io.gpudra.crds.model.node.DeviceTaint;
import io.gpudra.crds.model.node.Gpu;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The text about an allocation. */
record GrantSentences(AllocationDetails grant, Instant now) {

  /** {@code on worker-1 for 3 h (since 2026-11-24T09:00:00Z), prepared there}. */
  String where() {
    String since =
        grant
            .at()
            .map(
                at ->
                    " for %s (since %s)"
                        .formatted(AgeText.between(at, now), at.truncatedTo(ChronoUnit.SECONDS)))
            .orElse("");
    return "on %s%s, %s".formatted(grant.node(), since, prepared());
  }

  private String prepared() {
    return grant
        .prepared()
        .map(prepared -> prepared ? "prepared there" : "not prepared there")
        .orElse("unknown whether it is prepared there");
  }

  Stream<String> lines() {
    return Stream.of(
            grant.devices().stream().map(GrantSentences::device),
            grant.at().isPresent() ? parameters() : Stream.<String>empty(),
            grant.at().isPresent() ? users() : Stream.<String>empty())
        .flatMap(some -> some);
  }

  private static String device(Device device) {
    String model = device.gpu().gpu().map(gpu -> ", " + gpu.model().productName()).orElse("");
    return "%s (%s%s): %s%s%s"
        .formatted(
            device.own().device(),
            device.gpu().uuid(),
            model,
            PartText.of(device.own().part()),
            trouble(device),
            beside(device));
  }

  private static String trouble(Device device) {
    Optional<String> taints = device.gpu().gpu().map(gpu -> taints(gpu, device.own()));
    return switch (device.gpu().status()) {
      case LOST -> taints.orElse("; its node does not list it");
      case STALE -> taints.isPresent() ? "; its node gets no new claims" : "";
      case TAINTED, DRAINING, GRANTED, PARTLY_FREE, FREE -> taints.orElse("");
    };
  }

  /** Taints of the GPU and of the claim's MIG device. */
  private static String taints(Gpu gpu, DeviceHolder own) {
    Stream<DeviceTaint> ofMigDevice =
        gpu.mig().devices().stream()
            .filter(own.holding()::has)
            .flatMap(device -> device.taints().stream());
    String all =
        Stream.concat(gpu.taints().stream(), ofMigDevice)
            .map(GrantSentences::taint)
            .collect(Collectors.joining(", "));
    return all.isEmpty() ? "" : "; tainted: " + all;
  }

  private static String taint(DeviceTaint taint) {
    return taint.key() + (taint.reason().isEmpty() ? "" : " (" + taint.reason() + ")");
  }

  private static String beside(Device device) {
    return device.beside().isEmpty()
        ? ""
        : "; shared with "
            + device.beside().stream().map(GrantSentences::other).collect(Collectors.joining(", "));
  }

  private static String other(DeviceHolder other) {
    return "%s (%s%s)"
        .formatted(other.ref(), PartText.of(other.part()), other.draining() ? ", deallocated" : "");
  }

  private Stream<String> parameters() {
    if (grant.parameters().isEmpty() || grant.generation().isEmpty()) {
      return Stream.of("allocated without parameters");
    }
    return Stream.of(
        "allocated from generation %d of %s %s, %s"
            .formatted(
                grant.generation().getAsLong(),
                GpuClaimParameters.KIND,
                grant.parameters().get(),
                since()));
  }

  private String since() {
    if (grant.generationNow().isEmpty()) {
      return "which was deleted or cannot be read";
    }
    return grant.generationNow().equals(grant.generation())
        ? "which has not changed since"
        : "which is now at generation %d, without effect on this claim"
            .formatted(grant.generationNow().getAsLong());
  }

  private Stream<String> users() {
    return grant.consumers().isEmpty()
        ? Stream.of("not reserved for any pod")
        : grant.consumers().stream().map(GrantSentences::user);
  }

  private static String user(Consumer consumer) {
    return "used by " + consumer.object() + consumer.where().map(at -> " (" + at + ")").orElse("");
  }
}
