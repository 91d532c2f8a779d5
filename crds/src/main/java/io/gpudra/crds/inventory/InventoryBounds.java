package io.gpudra.crds.inventory;

import static com.google.common.base.Strings.nullToEmpty;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Multiset;
import io.gpudra.crds.api.NodeInventorySpec;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.api.NodeInventoryStatus.Condition;
import io.gpudra.crds.api.NodeInventoryStatus.Device;
import io.gpudra.crds.api.NodeInventoryStatus.Link;
import io.gpudra.crds.api.NodeInventoryStatus.MigDevice;
import io.gpudra.crds.api.NodeInventoryStatus.Model;
import io.gpudra.crds.api.NodeInventoryStatus.Prepared;
import io.gpudra.crds.api.NodeInventoryStatus.Profile;
import io.gpudra.crds.api.problem.ProblemList;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.wire.PartEntry;
import io.gpudra.crds.wire.SharingEntry;
import io.gpudra.crds.wire.WireDevices;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Limits far above those of any real node; larger reports are not plausible. The schema has the
 * same numbers, but a server may serve an older one. Values that are too small are malformed, and
 * readers skip them.
 */
final class InventoryBounds {

  static final int MAX_GPUS = 64;
  static final int MAX_SLICES = 16;
  static final int MAX_CLAIMS = 512;

  /** The possible places of all profiles of a model together: today's hardware has 30. */
  static final int MAX_PLACES = 128;

  /**
   * The parts of one GPU: there are at most 48 shares of it, or 16 slices with instances in them.
   */
  static final int MAX_PARTS_OF_A_GPU = 128;

  private static final int MAX_KINDS = 32;
  private static final int MAX_MODELS = 16;
  private static final int MAX_TAINTS = 16;
  private static final int MAX_SET_TAINTS = 128;
  private static final int MAX_LINKS = 128;
  private static final int MAX_CONDITIONS = 8;
  private static final int MAX_NUMBER = 255;
  private static final int MAX_LINES = 64;
  private static final int NAME = 63;
  private static final int UUID = 64;
  private static final int UID = 36;
  private static final int MAX_LONG_NAME = 253;
  private static final int MAX_SHORT_NAME = 32;
  private static final int WORD = 64;
  private static final int PRODUCT = 128;
  private static final int REASON = 256;
  private static final int ATTRIBUTE = 256;
  private static final int MIG_UUID = 96;
  private static final int SIZE = 16;
  private static final int TIME = 64;

  private final ProblemList problems = new ProblemList();

  private InventoryBounds() {}

  /** The values beyond the limits, each with its path; none for a plausible node. */
  static ImmutableList<String> broken(
      NodeInventoryStatus status, @Nullable NodeInventorySpec spec) {
    InventoryBounds bounds = new InventoryBounds();
    bounds.status("status.", status);
    if (spec != null) {
      bounds.each("spec.taints", spec.taints(), MAX_SET_TAINTS, bounds::taint);
    }
    return bounds.problems.found();
  }

  private void status(String at, NodeInventoryStatus status) {
    text(at + "pluginVersion", status.pluginVersion(), WORD);
    text(at + "bootID", status.bootID(), WORD);
    text(at + "heartbeatTime", status.heartbeatTime(), TIME);
    text(at + "driverVersion", status.driverVersion(), MAX_SHORT_NAME);
    text(at + "cudaDriverVersion", status.cudaDriverVersion(), MAX_SHORT_NAME);
    text(at + "summary", status.summary(), PRODUCT);
    number(at + "heartbeatSeconds", status.heartbeatSeconds(), 3600);
    number(at + "gpus", status.gpus(), MAX_GPUS);
    number(at + "gpusInUse", status.gpusInUse(), MAX_GPUS);
    number(at + "gpusTainted", status.gpusTainted(), MAX_GPUS);
    number(at + "handleFormat", status.handleFormat(), 1023);
    each(at + "models", status.models(), MAX_MODELS, this::model);
    each(at + "devices", status.devices(), MAX_GPUS, this::device);
    each(at + "links", status.links(), MAX_LINKS, this::link);
    each(at + "preparedClaims", status.preparedClaims(), MAX_CLAIMS, this::prepared);
    each(at + "conditions", status.conditions(), MAX_CONDITIONS, this::condition);
    partsOfAGpu(at + "preparedClaims", status);
  }

  private void model(String at, Model model) {
    text(at + "name", model.name(), PRODUCT);
    text(at + "brand", model.brand(), WORD);
    text(at + "architecture", model.architecture(), WORD);
    text(at + "cudaComputeCapability", model.cudaComputeCapability(), SIZE);
    bytes(at + "nominalMemory", model.nominalMemory());
    texts(at + "capabilities", model.capabilities(), MAX_KINDS, MAX_SHORT_NAME);
    each(at + "migProfiles", model.migProfiles(), MAX_KINDS, this::profile);
    int places = 0;
    for (Profile profile : FieldReader.orEmpty(model.migProfiles())) {
      places += profile == null ? 0 : FieldReader.orEmpty(profile.starts()).size();
    }
    if (places > MAX_PLACES) {
      tooMany(at + "migProfiles", places, "starts of all profiles", MAX_PLACES);
    }
  }

  private void profile(String at, Profile profile) {
    text(at + "profile", profile.profile(), MAX_SHORT_NAME);
    bytes(at + "memory", profile.memory());
    number(at + "compute", profile.compute(), MAX_SLICES);
    number(at + "size", profile.size(), MAX_SLICES);
    number(at + "most", profile.most(), MAX_SLICES);
    numbers(at + "starts", profile.starts(), MAX_SLICES, MAX_SLICES - 1);
  }

  private void device(String at, Device device) {
    text(at + "name", device.name(), NAME);
    text(at + "uuid", device.uuid(), UUID);
    number(at + "index", device.index(), MAX_NUMBER);
    number(at + "minor", device.minor(), MAX_NUMBER);
    text(at + "model", device.model(), PRODUCT);
    bytes(at + "memory", device.memory());
    text(at + "pcieBusID", device.pcieBusID(), MAX_SHORT_NAME);
    text(at + "pcieRoot", device.pcieRoot(), MAX_SHORT_NAME);
    number(at + "numaNode", device.numaNode(), 1023);
    attributes(at + "attributes", device.attributes());
    each(at + "migDevices", device.migDevices(), 56, this::migDevice);
    each(at + "taints", device.taints(), MAX_TAINTS, this::taint);
  }

  private void attributes(String path, @Nullable Map<String, String> attributes) {
    if (attributes != null) {
      problems.checkAtMost(path, attributes.size(), MAX_KINDS);
      attributes.forEach(
          (name, value) -> text(path + "." + ProblemList.shortened(name), value, ATTRIBUTE));
    }
  }

  private void migDevice(String at, MigDevice device) {
    text(at + "uuid", device.uuid(), MIG_UUID);
    text(at + "profile", device.profile(), MAX_SHORT_NAME);
    number(at + "start", device.start(), MAX_SLICES - 1);
    number(at + "size", device.size(), MAX_SLICES);
    text(at + "claimUID", device.claimUID(), UID);
    each(at + "taints", device.taints(), MAX_TAINTS, this::taint);
  }

  private void taint(String at, NodeInventoryStatus.Taint taint) {
    text(at + "key", taint.key(), MAX_LONG_NAME);
    text(at + "value", taint.value(), NAME);
    text(at + "effect", taint.effect(), WORD);
    text(at + "reason", taint.reason(), REASON);
    text(at + "timeAdded", taint.timeAdded(), TIME);
  }

  private void taint(String at, NodeInventorySpec.Taint taint) {
    text(at + "device", taint.device(), UUID);
    text(at + "key", taint.key(), MAX_LONG_NAME);
    text(at + "value", taint.value(), NAME);
    text(at + "effect", taint.effect(), WORD);
    text(at + "reason", taint.reason(), REASON);
    text(at + "until", taint.until(), TIME);
  }

  private void link(String at, Link link) {
    texts(at + "devices", link.devices(), MAX_GPUS, NAME);
    text(at + "type", link.type(), WORD);
    number(at + "lanes", link.lanes(), MAX_LINES);
  }

  private void prepared(String at, Prepared claim) {
    text(at + "uid", claim.uid(), UID);
    text(at + "namespace", claim.namespace(), NAME);
    text(at + "name", claim.name(), MAX_LONG_NAME);
    texts(at + "devices", claim.devices(), MAX_GPUS, MIG_UUID);
    each(at + "parts", claim.parts(), MAX_GPUS, this::part);
    each(at + "sharing", claim.sharing(), WireDevices.MAX_SETTINGS, this::sharing);
    text(at + "orphanedSince", claim.orphanedSince(), TIME);
    text(at + "waits", claim.waits(), REASON);
  }

  private void part(String at, PartEntry part) {
    text(at + "name", part.name(), NAME);
    text(at + "uuid", part.uuid(), UUID);
    text(at + "parent", part.parent(), UUID);
    text(at + "profile", part.profile(), MAX_SHORT_NAME);
    numbers(at + "at", part.at(), 2, MAX_SLICES);
    number(at + "compute", part.compute(), MAX_SLICES);
    numbers(at + "ci", part.ci(), 2, MAX_SLICES);
    text(at + "memory", part.memory(), SIZE);
    number(at + "millicores", part.millicores(), 1000);
    text(at + "pinned", part.pinned(), SIZE);
    number(at + "sharing", part.sharing(), WireDevices.MAX_SETTINGS - 1);
    number(at + "overcommit", part.overcommit(), 400);
    text(at + "inside", part.inside(), UID);
    text(at + "request", part.request(), MAX_SHORT_NAME);
  }

  private void sharing(String at, SharingEntry setting) {
    text(at + "strategy", setting.strategy(), WORD);
    text(at + "interval", setting.interval(), WORD);
    number(at + "threads", setting.threads(), 100);
    number(at + "parts", setting.parts(), MAX_LINES);
  }

  private void condition(String at, Condition condition) {
    text(at + "type", condition.type(), WORD);
    text(at + "status", condition.status(), WORD);
    text(at + "reason", condition.reason(), WORD);
    text(at + "message", condition.message(), 2048);
    text(at + "lastTransitionTime", condition.lastTransitionTime(), TIME);
  }

  /** All claims together are compared part by part. */
  private void partsOfAGpu(String at, NodeInventoryStatus status) {
    Multiset<String> parts = HashMultiset.create();
    FieldReader.orEmpty(status.preparedClaims()).stream()
        .filter(Objects::nonNull)
        .limit(MAX_CLAIMS)
        .forEach(claim -> addParts(claim, parts));
    for (String gpu : parts.elementSet()) {
      if (parts.count(gpu) > MAX_PARTS_OF_A_GPU) {
        String what = "parts of " + ProblemList.shortened(gpu);
        tooMany(at, parts.count(gpu), what, MAX_PARTS_OF_A_GPU);
      }
    }
  }

  private static void addParts(Prepared claim, Multiset<String> to) {
    FieldReader.orEmpty(claim.devices()).stream().filter(Objects::nonNull).forEach(to::add);
    FieldReader.orEmpty(claim.parts()).stream()
        .filter(Objects::nonNull)
        .map(part -> part.profile() == null ? part.uuid() : part.parent())
        .forEach(gpu -> to.add(nullToEmpty(gpu)));
  }

  private void tooMany(String at, int found, String what, int most) {
    problems.add(at, "Too many: %d %s: must be at most %d".formatted(found, what, most));
  }

  /** When a list is too long, its rest is not read. */
  private <T> void each(
      String path, @Nullable List<T> list, int most, BiConsumer<String, T> check) {
    List<T> entries = FieldReader.orEmpty(list);
    problems.checkAtMost(path, entries.size(), most);
    for (int i = 0; i < Math.min(most, entries.size()); i++) {
      if (entries.get(i) != null) {
        check.accept(path + "[" + i + "].", entries.get(i));
      }
    }
  }

  private void texts(String path, @Nullable List<String> list, int most, int longest) {
    each(path, list, most, (at, text) -> text(at.substring(0, at.length() - 1), text, longest));
  }

  private void numbers(String path, @Nullable List<Integer> list, int most, int largest) {
    each(path, list, most, (at, one) -> number(at.substring(0, at.length() - 1), one, largest));
  }

  private void text(String path, @Nullable String text, int most) {
    problems.checkMost(path, text, most);
  }

  private void bytes(String path, @Nullable Long number) {
    problems.checkRange(path, number, Long.MIN_VALUE, MemorySize.MAX_BYTES);
  }

  private void number(String path, @Nullable Integer number, int most) {
    problems.checkRange(path, number, Integer.MIN_VALUE, most);
  }
}
