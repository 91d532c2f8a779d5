package io.gpudra.kubeletplugin.device;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.Ints;
import io.gpudra.crds.model.Gpu;
import io.gpudra.crds.model.MigState;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a fake node is made of.
 *
 * @param products share the GPUs in equal blocks, in this order
 * @param count number of GPUs
 */
public record Profile(
    ImmutableList<Product> products, int count, String driverVersion, String cudaDriverVersion) {

  /** The most GPUs a node of any vendor carries. */
  public static final int MAX_COUNT = 16;

  private static final ImmutableMap<String, Profile> ALL =
      ImmutableMap.of(
          "latest", new Profile(ImmutableList.of(Product.LATEST), 8, "1.0.0", ""),
          "a100", nvidia(8, Product.A100),
          "h100", nvidia(8, Product.H100),
          "t4", nvidia(4, Product.T4),
          "mixed", nvidia(8, Product.A100, Product.T4));

  private static Profile nvidia(int count, Product... products) {
    return new Profile(ImmutableList.copyOf(products), count, "535.104.05", "12.2");
  }

  /**
   * Reads {@code NAME} or {@code NAME:COUNT}.
   *
   * @throws IllegalArgumentException naming what is allowed
   */
  public static Profile parse(String text) {
    int colon = text.indexOf(':');
    Profile named = ALL.get(colon < 0 ? text : text.substring(0, colon));
    Integer count = named == null || colon < 0 ? null : Ints.tryParse(text.substring(colon + 1));
    if (named == null || (colon >= 0 && !isCount(count))) {
      throw new IllegalArgumentException(
          "\"%s\" is no profile: use one of %s, if wanted with the number of GPUs (1 to %d) as in a100:4"
              .formatted(text, String.join(", ", ALL.keySet()), MAX_COUNT));
    }
    return count == null ? named : named.withCount(count);
  }

  private static boolean isCount(@Nullable Integer count) {
    return count != null && count >= 1 && count <= MAX_COUNT;
  }

  private Profile withCount(int other) {
    return new Profile(products, other, driverVersion, cudaDriverVersion);
  }

  /** The node's GPUs; the same node name gives the same UUIDs at every start. */
  ImmutableList<Gpu> gpus(String node) {
    return IntStream.range(0, count)
        .mapToObj(index -> gpu(node, index))
        .collect(ImmutableList.toImmutableList());
  }

  private Gpu gpu(String node, int index) {
    Product product = products.get(index * products.size() / count);
    return new Gpu(
        "gpu-" + index,
        uuid(node, product, index),
        index,
        index,
        product.model(),
        product.memoryBytes(),
        product.onPcie() ? "0000:%02x:00.0".formatted(index * 16 + 7) : "",
        product.onPcie() ? "pci0000:%02x".formatted(index / 2 * 32) : "",
        product.onPcie() ? index * 2 / count : -1,
        MigState.of(product.mig()),
        ImmutableList.of());
  }

  private static String uuid(String node, Product product, int index) {
    String seed = node + "/" + product.model().productName() + "/" + index;
    return "GPU-" + UUID.nameUUIDFromBytes(seed.getBytes(UTF_8));
  }
}
