package io.gpudra.controller.translate.cel;

import static io.gpudra.controller.translate.cel.CelText.quoted;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.ast.CelMutableExpr;
import dev.cel.common.ast.CelMutableExpr.CelMutableCall;
import io.gpudra.controller.gpu.cel.DottedVersion;
import io.gpudra.controller.gpu.cel.V1Name;
import io.gpudra.crds.api.parameters.DeviceRequest;
import io.gpudra.crds.model.MemorySize;
import io.gpudra.crds.model.node.DeviceAttribute;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The texts for attributes, sizes and versions there. An attribute that a device may lack has the
 * value that stands here for the unknown.
 *
 * @param driver of the conditions that are read
 * @param domain the driver whose devices are selected
 */
record V1Terms(String driver, String domain) {

  private static final ImmutableSet<DeviceAttribute> SIZES =
      ImmutableSet.of(DeviceAttribute.MEMORY, DeviceAttribute.NOMINAL_MEMORY);

  private static final ImmutableSet<DeviceAttribute> NOT_OF_NVIDIA =
      ImmutableSet.of(
          DeviceAttribute.NAME,
          DeviceAttribute.INDEX,
          DeviceAttribute.MINOR,
          DeviceAttribute.NOMINAL_MEMORY,
          DeviceAttribute.PCIE_DEVICE_ID,
          DeviceAttribute.MIG_ENABLED,
          DeviceAttribute.MIG_CAPABLE,
          DeviceAttribute.CAPABILITIES,
          DeviceAttribute.NVLINK_PEERS);

  private static final ImmutableMap<DeviceAttribute, String> NO_ATTRIBUTES =
      ImmutableMap.of(
          DeviceAttribute.CAPABILITIES,
          "capabilities are attributes of their own there; write 'x' in device.capabilities",
          DeviceAttribute.NODE,
          "the node is no attribute there; compare device.node with == or in, and join that to the"
              + " rest with &&");

  private static final ImmutableSet<String> OPERATORS =
      ImmutableSet.of("_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_");
  private static final ImmutableSet<String> METHODS =
      ImmutableSet.of("compareTo", "isGreaterThan", "isLessThan");

  /** What a comparison with a nominal size says of the reported one. */
  private static final ImmutableMap<String, String> OF_REPORTED =
      ImmutableMap.of("_>=_", "_>=_", "_>_", "_>=_", "_<_", "_<_", "_<=_", "_<_");

  /** These say it of the next larger size. */
  private static final ImmutableSet<String> ABOVE = ImmutableSet.of("_>_", "_<=_");

  private static final long MEBI = 1L << 20;

  /** A part of a condition has no equal there. */
  static final class NoEqual extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String why;

    NoEqual(String why) {
      super(
          why, /* cause= */ null, /* enableSuppression= */ false, /* writableStackTrace= */ false);
      this.why = why;
    }

    String why() {
      return why;
    }
  }

  /** The attribute that a node of a flat tree is. */
  static Optional<DeviceAttribute> attribute(CelMutableExpr node) {
    return node.getKind() == Kind.SELECT && isDevice(node.select().operand())
        ? DeviceAttribute.named(DeviceAttribute.ROOT + "." + node.select().field())
        : Optional.empty();
  }

  private static boolean isDevice(CelMutableExpr node) {
    return node.getKind() == Kind.IDENT && node.ident().name().equals(DeviceAttribute.ROOT);
  }

  /** The value of an attribute. */
  String value(DeviceAttribute attribute) {
    requireKnown(attribute);
    if (attribute == DeviceAttribute.DRIVER) {
      return domain.equals(driver) ? attribute.variable() : quoted(driver);
    }
    return V1Name.of(attribute)
        .map(this::read)
        .orElseThrow(() -> new NoEqual(NO_ATTRIBUTES.getOrDefault(attribute, "")));
  }

  private void requireKnown(DeviceAttribute attribute) {
    if (domain.equals(V1Name.NVIDIA) && NOT_OF_NVIDIA.contains(attribute)) {
      throw new NoEqual("devices of %s have no %s".formatted(domain, attribute.shortName()));
    }
  }

  private String read(V1Name name) {
    String map = map(name.place(), name.domain().isEmpty() ? domain : name.domain());
    return name.maybeAbsent()
        ? "%s.?%s.orValue(%s)".formatted(map, name.name(), unknown(name.attribute()))
        : map + "." + name.name();
  }

  private static String map(V1Name.Place place, String domain) {
    return "device.%s[%s]".formatted(place.map(), quoted(domain));
  }

  private static String unknown(DeviceAttribute attribute) {
    return attribute.type() == DeviceAttribute.Type.INT ? "-1" : "\"\"";
  }

  /** Whether a device has a capability; no device has one that is not known. */
  String capability(String name) {
    requireKnown(DeviceAttribute.CAPABILITIES);
    return DeviceRequest.CAPABILITIES.contains(name)
        ? map(V1Name.Place.ATTRIBUTE, domain) + "." + name
        : "false";
  }

  /** A comparison of two sizes or two versions; empty if it is none. */
  Optional<String> comparison(CelMutableExpr node) {
    List<CelMutableExpr> sides = sides(node);
    Optional<String> text =
        ofNominal(node, sides)
            .or(() -> comparison(node, sides, V1Terms::isSize, this::size))
            .or(() -> comparison(node, sides, V1Terms::isVersion, this::version));
    if (text.isEmpty() && !sides.isEmpty() && METHODS.contains(node.call().function())) {
      throw new NoEqual(node.call().function() + " compares only sizes and versions there");
    }
    return text;
  }

  private static List<CelMutableExpr> sides(CelMutableExpr node) {
    if (node.getKind() != Kind.CALL) {
      return List.of();
    }
    CelMutableCall call = node.call();
    return OPERATORS.contains(call.function()) || METHODS.contains(call.function())
        ? Stream.concat(call.target().stream(), call.args().stream()).toList()
        : List.of();
  }

  private static Optional<String> comparison(
      CelMutableExpr node,
      List<CelMutableExpr> sides,
      Predicate<CelMutableExpr> isTerm,
      Function<CelMutableExpr, Optional<String>> term) {
    if (sides.stream().noneMatch(isTerm)) {
      return Optional.empty();
    }
    List<String> terms = sides.stream().flatMap(side -> term.apply(side).stream()).toList();
    return terms.size() == 2
        ? Optional.of(comparison(node.call().function(), terms.get(0), terms.get(1)))
        : Optional.empty();
  }

  private static String comparison(String function, String left, String right) {
    return METHODS.contains(function)
        ? "%s.%s(%s)".formatted(left, function, right)
        : "%s.compareTo(%s) %s 0".formatted(left, right, function.replace("_", ""));
  }

  private static boolean isSize(CelMutableExpr node) {
    return CelText.argument(node, "quantity").isPresent()
        || attribute(node).filter(SIZES::contains).isPresent();
  }

  /** Beside a size, a number is one. */
  private Optional<String> size(CelMutableExpr node) {
    return CelText.argument(node, "quantity")
        .map(V1Terms::quantity)
        .or(() -> CelText.integer(node).map(Object::toString))
        .map("quantity(\"%s\")"::formatted)
        .or(() -> attribute(node).filter(SIZES::contains).map(this::value));
  }

  /** There a size of no whole number of bytes is none. */
  private static String quantity(String written) {
    MemorySize size = MemorySize.parse(written).orElseThrow();
    long bytesPerUnit = new MemorySize(BigDecimal.ONE, size.unit()).exactBytes();
    BigDecimal bytes = size.amount().multiply(BigDecimal.valueOf(bytesPerUnit));
    return bytes.stripTrailingZeros().scale() <= 0 ? written : String.valueOf(size.exactBytes());
  }

  private static boolean isVersion(CelMutableExpr node) {
    return CelText.argument(node, "version").isPresent()
        || attribute(node).filter(one -> one.type() == DeviceAttribute.Type.VERSION).isPresent();
  }

  /** Beside a version, a text is one. */
  private Optional<String> version(CelMutableExpr node) {
    return CelText.argument(node, "version")
        .or(() -> CelText.string(node))
        .map(V1Terms::semantic)
        .or(
            () ->
                attribute(node)
                    .filter(one -> one.type() == DeviceAttribute.Type.VERSION)
                    .map(this::value));
  }

  private static String semantic(String written) {
    DottedVersion version =
        DottedVersion.parse(written)
            .orElseThrow(() -> new NoEqual("\"%s\" is no version".formatted(written)));
    if (version.fourth() != 0) {
      throw new NoEqual("a version has three numbers there, and %s has four".formatted(written));
    }
    return "semver(\"%d.%d.%d\")".formatted(version.first(), version.second(), version.third());
  }

  /** A size or a version that is compared with nothing: only the number of bytes is a value. */
  static Optional<String> alone(CelMutableExpr node) {
    if (CelText.isCall(node, "version") || isVersion(node)) {
      throw new NoEqual("a version can only be compared there, with another one or a constant");
    }
    if (CelText.isCall(node, "quantity") || isSize(node)) {
      return Optional.of(
          bytes(node)
              .map(Object::toString)
              .orElseThrow(
                  () ->
                      new NoEqual(
                          "a size can only be compared there, with another one or a constant")));
    }
    if (isDevice(node)) {
      throw new NoEqual("device is no value itself there");
    }
    return Optional.empty();
  }

  /** NVIDIA's driver publishes the size that is reported, from which the nominal one follows. */
  private Optional<String> ofNominal(CelMutableExpr node, List<CelMutableExpr> sides) {
    return domain.equals(V1Name.NVIDIA)
            && sides.size() == 2
            && attribute(sides.get(0)).filter(DeviceAttribute.NOMINAL_MEMORY::equals).isPresent()
        ? bytes(sides.get(1)).flatMap(bytes -> ofNominal(node.call().function(), bytes))
        : Optional.empty();
  }

  private static Optional<Long> bytes(CelMutableExpr node) {
    return CelText.argument(node, "quantity")
        .flatMap(MemorySize::parse)
        .map(MemorySize::exactBytes)
        .or(() -> CelText.integer(node));
  }

  private Optional<String> ofNominal(String function, long bytes) {
    long nominal = ABOVE.contains(function) ? bytes + 1 : bytes;
    return Optional.ofNullable(OF_REPORTED.get(function))
        .map(
            operator ->
                comparison(
                    operator,
                    value(DeviceAttribute.MEMORY),
                    "quantity(\"%s\")".formatted(leastReported(nominal))));
  }

  /** The smallest reported size whose nominal one is at least this. */
  static String leastReported(long nominalBytes) {
    long low = 0;
    long high = Math.max(1, nominalBytes / MEBI + 1);
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (MemorySize.nominalOfReported(middle * MEBI) >= nominalBytes) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low + "Mi";
  }
}
