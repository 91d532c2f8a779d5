package io.gpudra.kubeletplugin.device;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.Ints;
import io.gpudra.crds.model.node.Gpu;
import io.gpudra.crds.model.node.GpuLink;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The hardware of a fake node.
 *
 * @param places the GPUs, in the order of their index
 * @param connections the connections between them
 */
public record FakeNodeProfile(
    ImmutableList<Place> places,
    ImmutableList<Connection> connections,
    String driverVersion,
    String cudaDriverVersion) {

  /** The maximum number of GPUs in a node of any vendor. */
  public static final int MAX_COUNT = 16;

  private static final String FILE = "@";

  /**
   * The place of a GPU in the file.
   *
   * @param position in the file
   * @param repetition 0, or more when more GPUs are requested than the file has
   */
  record Place(FakeBoard board, int position, int repetition) {}

  /**
   * GPUs every pair of which is connected.
   *
   * @param positions in the file
   */
  record Connection(ImmutableSet<Integer> positions, GpuLink.Type type, int lanes) {}

  static FakeNodeProfile of(
      ImmutableList<FakeBoard> boards,
      ImmutableList<Connection> connections,
      String driverVersion,
      String cudaDriverVersion) {
    ImmutableList<Place> places =
        IntStream.range(0, boards.size())
            .mapToObj(i -> new Place(boards.get(i), i, 0))
            .collect(toImmutableList());
    return new FakeNodeProfile(places, connections, driverVersion, cudaDriverVersion);
  }

  /**
   * Reads {@code NAME}, {@code NAME:COUNT} or, for a custom profile, {@code @FILE}.
   *
   * @throws IllegalArgumentException naming the allowed values, or the error in the file
   */
  public static FakeNodeProfile parse(String text) {
    if (text.startsWith(FILE)) {
      return ProfileFiles.read(text.substring(FILE.length()));
    }
    int colon = text.indexOf(':');
    String name = colon < 0 ? text : text.substring(0, colon);
    Integer count = colon < 0 ? null : Ints.tryParse(text.substring(colon + 1));
    if (!ProfileFiles.NAMES.contains(name) || (colon >= 0 && !isCount(count))) {
      throw new IllegalArgumentException(
          "\"%s\" is no profile: use one of %s, if wanted with the number of GPUs (1 to %d) as in a100:4, or @FILE"
              .formatted(text, String.join(", ", ProfileFiles.NAMES), MAX_COUNT));
    }
    FakeNodeProfile named = ProfileFiles.shipped(name);
    return count == null ? named : named.withCount(count);
  }

  private static boolean isCount(@Nullable Integer count) {
    return count != null && count >= 1 && count <= MAX_COUNT;
  }

  /**
   * The profile with this number of GPUs. Each product has an equal block of them, its first ones.
   * Further GPUs are in further PCI domains, and are connected only among themselves.
   */
  private FakeNodeProfile withCount(int count) {
    ImmutableList<GpuProduct> products =
        places.stream().map(place -> place.board.product()).distinct().collect(toImmutableList());
    Map<GpuProduct, Integer> taken = new HashMap<>();
    ImmutableList.Builder<Place> chosen = ImmutableList.builder();
    for (int i = 0; i < count; i++) {
      GpuProduct product = products.get(i * products.size() / count);
      chosen.add(place(product, taken.merge(product, 1, Integer::sum) - 1));
    }
    return new FakeNodeProfile(chosen.build(), connections, driverVersion, cudaDriverVersion);
  }

  private Place place(GpuProduct product, int number) {
    ImmutableList<Place> listed =
        places.stream()
            .filter(place -> place.board.product().equals(product))
            .collect(toImmutableList());
    Place place = listed.get(number % listed.size());
    int repetition = number / listed.size();
    return new Place(place.board.inDomain(repetition), place.position, repetition);
  }

  /** The node's GPUs; the same node name gives the same UUIDs at every start. */
  public ImmutableList<Gpu> gpus(String node) {
    return IntStream.range(0, places.size())
        .mapToObj(index -> places.get(index).board.gpu(node, index))
        .collect(toImmutableList());
  }

  /** The node's GPUs that reach each other without the PCIe bus. */
  public ImmutableList<GpuLink> links(String node) {
    ImmutableList<Gpu> gpus = gpus(node);
    return connections.stream()
        .flatMap(connection -> links(connection, gpus))
        .collect(toImmutableList());
  }

  private Stream<GpuLink> links(Connection connection, ImmutableList<Gpu> gpus) {
    return places.stream()
        .map(Place::repetition)
        .distinct()
        .map(repetition -> uuids(connection, repetition, gpus))
        .filter(uuids -> uuids.size() > 1)
        .map(uuids -> new GpuLink(uuids, connection.type, connection.lanes));
  }

  private ImmutableSet<String> uuids(
      Connection connection, int repetition, ImmutableList<Gpu> gpus) {
    return IntStream.range(0, places.size())
        .filter(index -> places.get(index).repetition == repetition)
        .filter(index -> connection.positions.contains(places.get(index).position))
        .mapToObj(index -> gpus.get(index).uuid())
        .collect(toImmutableSet());
  }
}
