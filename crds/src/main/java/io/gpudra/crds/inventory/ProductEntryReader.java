package io.gpudra.crds.inventory;

import static com.google.common.base.Strings.nullToEmpty;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import io.gpudra.crds.api.NodeInventoryStatus;
import io.gpudra.crds.api.NodeInventoryStatus.Model;
import io.gpudra.crds.api.NodeInventoryStatus.Profile;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.model.node.GpuModel;
import io.gpudra.crds.model.node.MigProfile;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The products of a node, by name. */
final class ProductEntryReader {

  private record Product(Model model, ImmutableList<MigProfile> profiles) {}

  private final FieldReader fields;
  private final Map<String, Product> products = new HashMap<>();

  private ProductEntryReader(FieldReader fields) {
    this.fields = fields;
  }

  static ProductEntryReader read(NodeInventoryStatus status, FieldReader fields) {
    ProductEntryReader productEntryReader = new ProductEntryReader(fields);
    fields.each("status.models", status.models(), productEntryReader::add);
    return productEntryReader;
  }

  private Optional<String> add(String path, Model model) {
    Optional<String> name = fields.text(path + ".name", model.name());
    if (name.isPresent()) {
      Product product = new Product(model, profiles(path + ".migProfiles", model));
      if (products.putIfAbsent(name.get(), product) != null) {
        fields.duplicate(path, name.get());
      }
    }
    return name;
  }

  /** Two profiles with one name would contradict each other. */
  private ImmutableList<MigProfile> profiles(String path, Model model) {
    Map<String, MigProfile> found = new HashMap<>();
    return fields.each(
        path,
        model.migProfiles(),
        (at, entry) -> {
          Optional<MigProfile> profile = profile(at, entry);
          if (profile.isPresent()
              && found.putIfAbsent(profile.get().name(), profile.get()) != null) {
            fields.duplicate(at, profile.get().name());
            return Optional.empty();
          }
          return profile;
        });
  }

  private Optional<MigProfile> profile(String path, Profile entry) {
    Optional<String> name = fields.text(path + ".profile", entry.profile());
    Optional<Long> memory = fields.atLeast(1, path + ".memory", entry.memory());
    Optional<Integer> compute = fields.atLeast(1, path + ".compute", entry.compute());
    Optional<Integer> size = fields.atLeast(1, path + ".size", entry.size());
    Optional<Integer> most = fields.atLeast(1, path + ".most", entry.most());
    ImmutableList<Integer> starts =
        fields.each(path + ".starts", entry.starts(), (at, start) -> fields.atLeast(0, at, start));
    if (name.isEmpty()
        || memory.isEmpty()
        || compute.isEmpty()
        || size.isEmpty()
        || most.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new MigProfile(
            name.get(),
            memory.get(),
            compute.get(),
            size.get(),
            ImmutableSortedSet.copyOf(starts),
            most.get()));
  }

  /** The model of a GPU; empty, with a problem, when it is not listed. */
  Optional<GpuModel> find(String path, @Nullable String name, long memoryBytes) {
    Product product = products.get(nullToEmpty(name));
    if (product == null) {
      fields.notFound(path, nullToEmpty(name), "listed in status.models");
      return Optional.empty();
    }
    return Optional.of(model(product, memoryBytes));
  }

  private static GpuModel model(Product product, long memoryBytes) {
    Model model = product.model;
    Long nominal = model.nominalMemory();
    return new GpuModel(
        nullToEmpty(model.name()),
        nullToEmpty(model.brand()),
        nullToEmpty(model.architecture()),
        nullToEmpty(model.cudaComputeCapability()),
        nominal == null || nominal <= 0 ? MemorySize.nominalOfReported(memoryBytes) : nominal,
        FieldReader.orEmpty(model.capabilities()).stream()
            .filter(Objects::nonNull)
            .collect(ImmutableSortedSet.toImmutableSortedSet(Comparator.naturalOrder())),
        product.profiles);
  }
}
