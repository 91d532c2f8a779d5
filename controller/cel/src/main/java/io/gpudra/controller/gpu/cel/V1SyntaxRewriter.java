package io.gpudra.controller.gpu.cel;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelMutableAst;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.ast.CelMutableExpr;
import dev.cel.common.ast.CelMutableExpr.CelMutableSelect;
import dev.cel.common.navigation.CelNavigableMutableAst;
import dev.cel.common.navigation.CelNavigableMutableExpr;
import dev.cel.common.navigation.TraversalOrder;
import io.gpudra.crds.model.node.DeviceAttribute;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Translates the spelling of {@code resource.k8s.io/v1} into the flat one: {@code
 * device.attributes['gpu.nvidia.com'].brand} becomes {@code device.brand}. The maps exist only in
 * the text, so a condition's types, cost and attributes stay known.
 */
final class V1SyntaxRewriter {

  private static final String KUBERNETES = "resource.kubernetes.io";
  private static final String ALIAS = "gpu.nvidia.com";
  private static final int MAX_KEYS = 2;
  private static final ImmutableSet<DeviceAttribute> FLAT_ONLY =
      ImmutableSet.of(
          DeviceAttribute.NAME,
          DeviceAttribute.MEMORY,
          DeviceAttribute.NOMINAL_MEMORY,
          DeviceAttribute.CAPABILITIES,
          DeviceAttribute.NVLINK_PEERS,
          DeviceAttribute.NODE,
          DeviceAttribute.DRIVER);

  private static final ImmutableMap<String, DeviceAttribute> OF_DRIVER =
      ImmutableMap.<String, DeviceAttribute>builder()
          .putAll(
              Stream.of(DeviceAttribute.values())
                  .filter(one -> !FLAT_ONLY.contains(one))
                  .collect(toImmutableMap(DeviceAttribute::shortName, one -> one)))
          .put("numa", DeviceAttribute.NUMA_NODE)
          .put("profile", DeviceAttribute.MIG_PROFILE)
          .buildOrThrow();

  private static final ImmutableMap<String, DeviceAttribute> OF_KUBERNETES =
      ImmutableMap.of("pcieRoot", DeviceAttribute.PCIE_ROOT);
  private static final ImmutableMap<String, DeviceAttribute> AMOUNTS =
      ImmutableMap.of("memory", DeviceAttribute.MEMORY);

  private final ImmutableMap<String, Domains> maps;

  /**
   * A condition in the flat spelling.
   *
   * @param problems the unreadable parts, each a sentence
   */
  record Flat(CelAbstractSyntaxTree tree, ImmutableList<String> problems) {}

  /**
   * One of the two maps.
   *
   * @param part the text for users
   * @param own the names that need no domain
   */
  private record Domains(
      String part,
      ImmutableMap<String, DeviceAttribute> own,
      ImmutableMap<String, ImmutableMap<String, DeviceAttribute>> byName) {

    Optional<DeviceAttribute> find(ImmutableList<String> keys) {
      List<String> parts =
          keys.size() == 1 ? Splitter.on('/').limit(2).splitToList(keys.get(0)) : keys;
      return parts.size() == 1
          ? Optional.ofNullable(own.get(parts.get(0)))
          : Optional.ofNullable(byName.get(parts.get(0))).map(names -> names.get(parts.get(1)));
    }

    /** The problem of keys that name no attribute; a domain alone gets a hint. */
    Optional<String> problem(ImmutableList<String> keys) {
      ImmutableMap<String, DeviceAttribute> names = byName.get(keys.get(0));
      if (names == null) {
        return Optional.of(
            "no device %s of \"%s\"; there are those of: %s"
                .formatted(
                    part, CelFaults.shortened(keys.get(0)), String.join(", ", byName.keySet())));
      }
      return keys.size() == 1
          ? Optional.empty()
          : Optional.of(CelFaults.unknown("device " + part, keys.get(1), names.keySet()));
    }
  }

  /**
   * Keys after one of the maps.
   *
   * @param device the variable, as the user wrote it
   */
  private record Path(CelMutableExpr device, Domains map, ImmutableList<String> keys) {

    Path then(String key) {
      return new Path(device, map, ImmutableList.<String>builder().addAll(keys).add(key).build());
    }

    Optional<DeviceAttribute> attribute() {
      return keys.isEmpty() ? Optional.empty() : map.find(keys);
    }

    boolean isDomain(String key) {
      return keys.isEmpty() && map.byName.containsKey(key);
    }
  }

  V1SyntaxRewriter(String driver) {
    this.maps =
        ImmutableMap.of(
            "attributes",
            new Domains("attribute", OF_DRIVER, domains(driver, OF_DRIVER, OF_KUBERNETES)),
            "capacity",
            new Domains("capacity", AMOUNTS, domains(driver, AMOUNTS, ImmutableMap.of())));
  }

  private static ImmutableMap<String, ImmutableMap<String, DeviceAttribute>> domains(
      String driver,
      ImmutableMap<String, DeviceAttribute> own,
      ImmutableMap<String, DeviceAttribute> common) {
    return ImmutableMap.<String, ImmutableMap<String, DeviceAttribute>>builder()
        .put(driver, own)
        .put(ALIAS, own)
        .put(KUBERNETES, common)
        .buildKeepingLast();
  }

  Flat flat(String text, CelAbstractSyntaxTree parsed) {
    if (maps.keySet().stream().noneMatch(text::contains)) {
      return new Flat(parsed, ImmutableList.of());
    }
    CelMutableAst tree = CelMutableAst.fromCelAst(parsed);
    nodes(tree).forEach(this::flatten);
    return new Flat(tree.toParsedAst(/* retainSourcePositions= */ true), problems(nodes(tree)));
  }

  private static List<CelMutableExpr> nodes(CelMutableAst tree) {
    return CelNavigableMutableAst.fromAst(tree)
        .getRoot()
        .allNodes(TraversalOrder.PRE_ORDER)
        .map(CelNavigableMutableExpr::expr)
        .toList();
  }

  private ImmutableList<String> problems(List<CelMutableExpr> left) {
    List<Path> paths = left.stream().flatMap(node -> path(node, MAX_KEYS).stream()).toList();
    ImmutableList<String> problems =
        paths.stream()
            .filter(path -> !path.keys().isEmpty())
            .flatMap(path -> path.map().problem(path.keys()).stream())
            .distinct()
            .collect(toImmutableList());
    return paths.isEmpty() || !problems.isEmpty()
        ? problems
        : ImmutableList.of(
            "device.attributes and device.capacity are no values themselves; write a driver and a"
                + " name in quotes, such as device.attributes['%s'].brand".formatted(ALIAS));
  }

  private void flatten(CelMutableExpr node) {
    if (isCall(node, "@in")) {
      flattenIn(node, node.call().args());
      return;
    }
    Optional<Path> path = path(node, MAX_KEYS).filter(one -> !one.keys().isEmpty());
    if (path.isPresent() && node.getKind() == Kind.SELECT && node.select().testOnly()) {
      setConstant(node, path.get().attribute().isPresent());
    } else {
      path.flatMap(Path::attribute)
          .ifPresent(
              one -> node.setSelect(CelMutableSelect.create(path.get().device(), one.shortName())));
    }
  }

  private void flattenIn(CelMutableExpr node, List<CelMutableExpr> operands) {
    Optional<Path> map = path(operands.get(1), MAX_KEYS - 1);
    Optional<String> key = literal(operands.get(0));
    if (map.isPresent() && key.isPresent()) {
      setConstant(
          node, map.get().isDomain(key.get()) || map.get().then(key.get()).attribute().isPresent());
    }
  }

  private static void setConstant(CelMutableExpr node, boolean value) {
    node.setConstant(CelConstant.ofValue(value));
  }

  /** The path of a node that is one of the maps, or a selection from one with constant keys. */
  private Optional<Path> path(CelMutableExpr node, int mostKeys) {
    if (node.getKind() == Kind.SELECT) {
      CelMutableSelect select = node.select();
      Domains map = maps.get(select.field());
      return map != null && isDevice(select.operand())
          ? Optional.of(new Path(select.operand(), map, ImmutableList.of()))
          : longer(select.operand(), Optional.of(select.field()), mostKeys);
    }
    return isCall(node, "_[_]")
        ? longer(node.call().args().get(0), literal(node.call().args().get(1)), mostKeys)
        : Optional.empty();
  }

  private Optional<Path> longer(CelMutableExpr of, Optional<String> key, int mostKeys) {
    return mostKeys == 0 || key.isEmpty()
        ? Optional.empty()
        : path(of, mostKeys - 1).map(path -> path.then(key.get()));
  }

  private static boolean isDevice(CelMutableExpr expr) {
    return expr.getKind() == Kind.IDENT && expr.ident().name().equals(DeviceAttribute.ROOT);
  }

  private static boolean isCall(CelMutableExpr expr, String function) {
    return expr.getKind() == Kind.CALL
        && expr.call().function().equals(function)
        && expr.call().args().size() == 2;
  }

  private static Optional<String> literal(CelMutableExpr expr) {
    return expr.getKind() == Kind.CONSTANT
            && expr.constant().getKind() == CelConstant.Kind.STRING_VALUE
        ? Optional.of(expr.constant().stringValue())
        : Optional.empty();
  }
}
