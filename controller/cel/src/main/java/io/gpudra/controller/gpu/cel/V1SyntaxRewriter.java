package io.gpudra.controller.gpu.cel;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.base.Ascii;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
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
public final class V1SyntaxRewriter {

  private static final int MAX_KEYS = 2;

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

  /** A rewriter for conditions on devices of the driver of this name. */
  public V1SyntaxRewriter(String driver) {
    this.maps =
        Stream.of(V1Name.Place.values())
            .collect(toImmutableMap(V1Name.Place::map, place -> domains(place, driver)));
  }

  private static Domains domains(V1Name.Place place, String driver) {
    ImmutableMap<String, DeviceAttribute> own = names(place, "");
    return new Domains(
        Ascii.toLowerCase(place.name()),
        own,
        ImmutableMap.<String, ImmutableMap<String, DeviceAttribute>>builder()
            .put(driver, own)
            .put(V1Name.NVIDIA, own)
            .put(V1Name.STANDARD, names(place, V1Name.STANDARD))
            .buildKeepingLast());
  }

  private static ImmutableMap<String, DeviceAttribute> names(V1Name.Place place, String domain) {
    ImmutableMap.Builder<String, DeviceAttribute> names = ImmutableMap.builder();
    V1Name.all().reverse().stream()
        .filter(one -> one.place() == place)
        .forEach(one -> one.readIn(domain).forEach(name -> names.put(name, one.attribute())));
    return names.buildKeepingLast();
  }

  Flat flat(String text, CelAbstractSyntaxTree parsed) {
    if (maps.keySet().stream().noneMatch(text::contains)) {
      return new Flat(parsed, ImmutableList.of());
    }
    CelMutableAst tree = CelMutableAst.fromCelAst(parsed);
    flatten(tree);
    return new Flat(tree.toParsedAst(/* retainSourcePositions= */ true), problems(nodes(tree)));
  }

  /** Makes the tree flat; it may be one in which {@code has} is still a call. */
  public void flatten(CelMutableAst tree) {
    nodes(tree).forEach(this::flatten);
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
                + " name in quotes, such as device.attributes['%s'].brand"
                    .formatted(V1Name.NVIDIA));
  }

  private void flatten(CelMutableExpr node) {
    if (isCall(node, "@in", 2)) {
      flattenIn(node, node.call().args());
    } else if (isCall(node, "has", 1)) {
      flatten(node, node.call().args().get(0), /* testOnly= */ true);
    } else {
      flatten(node, node, node.getKind() == Kind.SELECT && node.select().testOnly());
    }
  }

  private void flatten(CelMutableExpr node, CelMutableExpr from, boolean testOnly) {
    Optional<Path> path = path(from, MAX_KEYS).filter(one -> !one.keys().isEmpty());
    if (path.isPresent() && testOnly) {
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
    return isCall(node, "_[_]", 2)
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

  private static boolean isCall(CelMutableExpr expr, String function, int operands) {
    return expr.getKind() == Kind.CALL
        && expr.call().function().equals(function)
        && expr.call().args().size() == operands;
  }

  private static Optional<String> literal(CelMutableExpr expr) {
    return expr.getKind() == Kind.CONSTANT
            && expr.constant().getKind() == CelConstant.Kind.STRING_VALUE
        ? Optional.of(expr.constant().stringValue())
        : Optional.empty();
  }
}
