package io.gpudra.controller.lint.yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BigIntegerNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.Doubles;
import java.math.BigInteger;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.resolver.Resolver;

/** Parses scalars like kubectl: YAML 1.1 without timestamps and sexagesimal numbers. */
final class YamlScalars {

  private static final Resolver RESOLVER = new Resolver();
  private static final ImmutableSet<String> TRUE = ImmutableSet.of("true", "yes", "on");
  private static final int MAX_NUMBER = 40;
  private static final double MAX_EXACT = 1L << 53;

  private YamlScalars() {}

  static JsonNode value(ScalarEvent scalar) {
    String tag = tag(scalar);
    String text = scalar.getValue();
    if (tag.equals(Tag.NULL.getValue())) {
      return NullNode.getInstance();
    }
    if (tag.equals(Tag.BOOL.getValue())) {
      return BooleanNode.valueOf(TRUE.contains(Ascii.toLowerCase(text)));
    }
    if (tag.equals(Tag.INT.getValue())) {
      return integer(text);
    }
    return tag.equals(Tag.FLOAT.getValue()) ? decimal(text) : TextNode.valueOf(text);
  }

  private static String tag(ScalarEvent scalar) {
    return scalar.getTag() == null
        ? RESOLVER.resolve(NodeId.scalar, scalar.getValue(), scalar.isPlain()).getValue()
        : scalar.getTag();
  }

  private static JsonNode integer(String text) {
    String digits = text.replace("_", "");
    try {
      return LongNode.valueOf(Long.decode(digits));
    } catch (NumberFormatException e) {
      return digits.length() <= MAX_NUMBER && digits.matches("[-+]?[0-9]+")
          ? BigIntegerNode.valueOf(new BigInteger(digits))
          : TextNode.valueOf(text);
    }
  }

  private static JsonNode decimal(String text) {
    Double number = text.length() <= MAX_NUMBER ? Doubles.tryParse(text) : null;
    if (number == null || !Double.isFinite(number)) {
      return TextNode.valueOf(text);
    }
    boolean whole = number == Math.rint(number) && Math.abs(number) < MAX_EXACT;
    return whole ? LongNode.valueOf(number.longValue()) : DoubleNode.valueOf(number);
  }
}
