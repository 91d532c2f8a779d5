package io.gpudra.kubeletplugin.device;

import static com.google.common.base.Strings.nullToEmpty;
import static io.gpudra.crds.wire.EntryValues.required;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.model.Part.Slice;
import io.gpudra.crds.model.node.AttributeValues;
import io.gpudra.crds.model.node.Gpu.MigMode;
import io.gpudra.crds.model.node.GpuLink;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.MigProfile;
import io.gpudra.crds.wire.EntryValues;
import io.gpudra.kubeletplugin.device.ProfileFile.GpuEntry;
import io.gpudra.kubeletplugin.device.ProfileFile.LinkEntry;
import io.gpudra.kubeletplugin.device.ProfileFile.MigDeviceEntry;
import io.gpudra.kubeletplugin.device.ProfileFile.MigProfileEntry;
import io.gpudra.kubeletplugin.device.ProfileFile.ProductEntry;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Reads one file; the first invalid value is an {@link IllegalArgumentException} with its path. */
final class ProfileReader {

  private static final int MAX_SLICES = 64;
  private static final int MAX_LANES = 64;

  private final Map<String, GpuProduct> products = new LinkedHashMap<>();
  private final ProfileFile file;

  /** Products of the file take precedence over those that are shipped. */
  ProfileReader(ProfileFile shipped, ProfileFile file) {
    this.file = file;
    each("products", shipped.products(), this::add);
    each("products", file.products(), this::add);
  }

  FakeNodeProfile profile() {
    ImmutableList<FakeBoard> boards = each("gpus", file.gpus(), this::board);
    range("gpus", "number of GPUs " + boards.size(), boards.size(), 1, FakeNodeProfile.MAX_COUNT);
    return FakeNodeProfile.of(
        boards,
        each("links", file.links(), (path, link) -> connection(path, link, boards.size())),
        nullToEmpty(file.driverVersion()),
        nullToEmpty(file.cudaDriverVersion()));
  }

  private GpuProduct add(String path, ProductEntry entry) {
    GpuProduct product = product(path, entry);
    products.put(required(path + ".name", entry.name()), product);
    return product;
  }

  private static GpuProduct product(String path, ProductEntry entry) {
    long memory = bytes(path + ".memory", required(path + ".memory", entry.memory()));
    GpuModel model =
        new GpuModel(
            required(path + ".productName", entry.productName()),
            nullToEmpty(entry.brand()),
            nullToEmpty(entry.architecture()),
            nullToEmpty(entry.cudaComputeCapability()),
            entry.nominalMemory() == null
                ? MemorySize.nominalOfReported(memory)
                : bytes(path + ".nominalMemory", entry.nominalMemory()),
            ImmutableSortedSet.copyOf(
                each(path + ".capabilities", entry.capabilities(), (at, text) -> text)),
            each(path + ".migProfiles", entry.migProfiles(), ProfileReader::migProfile));
    unique(path + ".migProfiles", model.migProfiles().stream().map(MigProfile::name).toList());
    return new GpuProduct(
        model,
        memory,
        attributes(path + ".attributes", entry.attributes()),
        mig(path + ".mig", entry.mig()).orElse(MigMode.UNSUPPORTED),
        Boolean.TRUE.equals(entry.migSwitchable()));
  }

  private static AttributeValues attributes(String path, @Nullable Map<String, String> written) {
    AttributeValues values = AttributeValues.parse(written);
    if (written != null && !values.texts().equals(written)) {
      throw new IllegalArgumentException(
          "%s: Invalid value: %s: must be what GPUs report".formatted(path, written));
    }
    return values;
  }

  private static MigProfile migProfile(String path, MigProfileEntry entry) {
    int size = number(path + ".size", entry.size(), 1, MAX_SLICES);
    ImmutableList<Integer> starts =
        each(
            path + ".starts",
            required(path + ".starts", entry.starts()),
            (at, start) -> number(at, start, 0, MAX_SLICES - size));
    return new MigProfile(
        required(path + ".profile", entry.profile()),
        bytes(path + ".memory", required(path + ".memory", entry.memory())),
        number(path + ".compute", entry.compute(), 1, MAX_SLICES),
        size,
        ImmutableSortedSet.copyOf(starts),
        number(path + ".most", entry.most(), 1, MAX_SLICES));
  }

  private FakeBoard board(String path, GpuEntry entry) {
    String name = required(path + ".product", entry.product());
    GpuProduct product = products.get(name);
    if (product == null) {
      throw unsupported(path + ".product", name, products.keySet());
    }
    MigMode mig = mig(path + ".mig", entry.mig()).orElse(product.mig());
    if (mig != MigMode.ENABLED && entry.migDevices() != null) {
      throw new IllegalArgumentException(path + ".migDevices: need mig: Enabled");
    }
    return new FakeBoard(
        product,
        nullToEmpty(entry.pcieBusID()),
        nullToEmpty(entry.pcieRoot()),
        Objects.requireNonNullElse(entry.numaNode(), -1),
        mig,
        migDevices(path + ".migDevices", entry, product.model().migProfiles()));
  }

  private static ImmutableList<FakeBoard.MigDevice> migDevices(
      String path, GpuEntry entry, ImmutableList<MigProfile> known) {
    ImmutableList<FakeBoard.MigDevice> devices =
        each(path, entry.migDevices(), (at, device) -> migDevice(at, device, known));
    for (int i = 0; i < devices.size(); i++) {
      Slice slice = devices.get(i).slice();
      if (devices.subList(0, i).stream().anyMatch(other -> other.slice().overlaps(slice))) {
        throw new IllegalArgumentException(path + ": some overlap");
      }
    }
    return devices;
  }

  private static FakeBoard.MigDevice migDevice(
      String path, MigDeviceEntry entry, ImmutableList<MigProfile> known) {
    String name = required(path + ".profile", entry.profile());
    MigProfile profile =
        known.stream()
            .filter(some -> some.name().equals(name))
            .findFirst()
            .orElseThrow(
                () ->
                    unsupported(
                        path + ".profile", name, known.stream().map(MigProfile::name).toList()));
    int start = required(path + ".start", entry.start());
    if (!profile.starts().contains(start)) {
      throw unsupported(path + ".start", String.valueOf(start), profile.starts());
    }
    Slice slice = new Slice(name, start, profile.size(), profile.compute(), Optional.empty());
    return new FakeBoard.MigDevice(slice, Boolean.TRUE.equals(entry.foreign()));
  }

  private static FakeNodeProfile.Connection connection(String path, LinkEntry entry, int gpus) {
    String type = required(path + ".type", entry.type());
    ImmutableList<Integer> positions =
        each(path + ".gpus", entry.gpus(), (at, position) -> number(at, position, 0, gpus - 1));
    unique(path + ".gpus", positions);
    range(path + ".gpus", "number of GPUs " + positions.size(), positions.size(), 2, gpus);
    return new FakeNodeProfile.Connection(
        ImmutableSet.copyOf(positions),
        GpuLink.Type.of(type)
            .orElseThrow(
                () ->
                    unsupported(
                        path + ".type",
                        type,
                        Arrays.stream(GpuLink.Type.values()).map(GpuLink.Type::text).toList())),
        number(path + ".lanes", entry.lanes(), 1, MAX_LANES));
  }

  private static Optional<MigMode> mig(String path, @Nullable String text) {
    return Optional.ofNullable(text)
        .map(
            mode ->
                switch (mode) {
                  case "Unsupported" -> MigMode.UNSUPPORTED;
                  case "Disabled" -> MigMode.DISABLED;
                  case "Enabled" -> MigMode.ENABLED;
                  default ->
                      throw unsupported(path, mode, List.of("Unsupported", "Disabled", "Enabled"));
                });
  }

  private static <T, R> ImmutableList<R> each(
      String path, @Nullable List<T> listed, BiFunction<String, T, R> read) {
    ImmutableList.Builder<R> found = ImmutableList.builder();
    List<T> entries = listed == null ? List.of() : listed;
    for (int i = 0; i < entries.size(); i++) {
      String at = path + "[" + i + "]";
      found.add(read.apply(at, required(at, entries.get(i))));
    }
    return found.build();
  }

  private static int number(String path, @Nullable Integer value, int least, int most) {
    return EntryValues.range(path, required(path, value), least, most);
  }

  private static void range(String path, String shown, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s: Invalid value: %s: must be %d to %d".formatted(path, shown, least, most));
    }
  }

  private static void unique(String path, List<?> values) {
    if (ImmutableSet.copyOf(values).size() < values.size()) {
      throw new IllegalArgumentException(path + ": something stands there twice");
    }
  }

  private static long bytes(String path, String text) {
    return MemorySize.parse(text)
        .map(MemorySize::exactBytes)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "%s: Invalid value: \"%s\": %s".formatted(path, text, MemorySize.HINT)));
  }

  private static IllegalArgumentException unsupported(
      String path, String value, Collection<?> allowed) {
    return new IllegalArgumentException(
        "%s: Unsupported value: \"%s\": supported values: %s"
            .formatted(
                path, value, String.join(", ", allowed.stream().map(String::valueOf).toList())));
  }
}
