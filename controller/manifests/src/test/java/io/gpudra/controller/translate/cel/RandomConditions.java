package io.gpudra.controller.translate.cel;

import com.google.common.collect.ImmutableListMultimap;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Conditions of every attribute and operator, in both spellings. */
final class RandomConditions {
  private static final int DEEPEST = 3;

  /**
   * By the letter of their type; a letter after a dollar stands for any expression of that type.
   */
  private static final ImmutableListMultimap<Character, String> LEAVES =
      ImmutableListMultimap.<Character, String>builder()
          .putAll(
              'b',
              "device.migEnabled",
              "device.migCapable",
              "device.attributes['gpu.nvidia.com'].migCapable",
              "has(device.attributes['gpu.nvidia.com'].uuid)",
              "has(device.attributes['other.example.com'].uuid)",
              "'brand' in device.attributes['gpu.nvidia.com']",
              "'nvlink' in device.capabilities",
              "'tensorCores' in device.capabilities",
              "'wings' in device.capabilities",
              "device.type == 'gpu'",
              "'mig' != device.type",
              "device.driverVersion >= '535.104.05'",
              "device.cudaComputeCapability == '8.0'")
          .putAll(
              's',
              "device.name",
              "device.uuid",
              "device.type",
              "device.productName",
              "device.model",
              "device.brand",
              "device.architecture",
              "device.pcieBusID",
              "device.pcieRoot",
              "device.pcieDeviceID",
              "device.migProfile",
              "device.parentUUID",
              "device.driver",
              "device.attributes['gpu.nvidia.com'].profile",
              "device.attributes['resource.kubernetes.io'].pcieRoot",
              "device.attributes['resource.kubernetes.io/pciBusID']",
              "''",
              "'Nvidia'",
              "'1g.10gb'",
              "\"it's\"",
              "'a\"b\\\\c'",
              "r'\\d'",
              "'\\n\\t\\x07'",
              "'é😀'")
          .putAll(
              'i',
              "device.index",
              "device.minor",
              "device.numaNode",
              "device.nvlinkPeers",
              "device.attributes['gpu.nvidia.com'].numa",
              "-1",
              "0",
              "1",
              "7",
              "quantity('1Mi')")
          .putAll(
              'z',
              "device.memory",
              "device.nominalMemory",
              "device.capacity['memory']",
              "quantity('80Gi')",
              "quantity('79.5Gi')",
              "quantity('0.3Mi')",
              "85899345920")
          .putAll(
              'v',
              "device.driverVersion",
              "device.cudaDriverVersion",
              "device.cudaComputeCapability",
              "version('8')",
              "version('12.2')",
              "version('535.104.05')")
          .putAll('p', "^a.*", "[0-9]+$", "\\\\d", "A100|T4")
          .build();

  private static final ImmutableListMultimap<Character, String> SHAPES =
      ImmutableListMultimap.<Character, String>builder()
          .putAll(
              'b',
              "$s == $s",
              "$s != $s",
              "$s < $s",
              "$s >= $s",
              "$i == $i",
              "$i <= $i",
              "$i > $i",
              "$z == $z",
              "$z != $z",
              "$z >= $z",
              "$z < $z",
              "$z.compareTo($z) > 0",
              "$z.isGreaterThan($z)",
              "$z.isLessThan($z)",
              "$v == $v",
              "$v != $v",
              "$v <= $v",
              "$v > $v",
              "$v.compareTo($v) >= 0",
              "$v.isGreaterThan($v)",
              "!($b)",
              "($b && $b)",
              "($b || $b)",
              "($b ? $b : $b)",
              "$s in [$s, $s]",
              "$i in [$i, $i]",
              "[$s, $s].exists(x, x == $s)",
              "[$s, $s].all(x, x != $s || $b)",
              "[$i, $i].exists_one(x, x < $i)",
              "[$i, $i].filter(x, x > $i).size() == $i",
              "$s.startsWith($s)",
              "$s.endsWith($s)",
              "$s.contains($s)",
              "$s.matches('$p')",
              "device.node == 'worker-1' && $b",
              "has({'a': $i}.a)")
          .putAll(
              's',
              "($s + $s)",
              "($b ? $s : $s)",
              "$s.lowerAscii()",
              "$s.upperAscii()",
              "$s.trim()",
              "$s.replace($s, $s)",
              "$s.substring($i)",
              "$s.charAt($i)",
              "string($i)",
              "[$s, $s].join('-')",
              "$s.split('-')[0]",
              "[$s, $s].map(x, x + $s)[1]")
          .putAll(
              'i',
              "($i + $i)",
              "($i - $i)",
              "($i * $i)",
              "($i / $i)",
              "($i % $i)",
              "-($i)",
              "$s.size()",
              "size([$s, $s])",
              "$s.indexOf($s)",
              "int($s)",
              "($b ? $i : $i)")
          .build();

  private final Random random;

  RandomConditions(long seed) {
    this.random = new Random(seed);
  }

  Stream<String> conditions() {
    return Stream.generate(() -> filled("$b", DEEPEST));
  }

  private String filled(String shape, int depth) {
    int at = shape.indexOf('$');
    return at < 0
        ? shape
        : shape.substring(0, at)
            + any(shape.charAt(at + 1), depth)
            + filled(shape.substring(at + 2), depth);
  }

  private String any(char type, int depth) {
    List<String> shapes = SHAPES.get(type);
    boolean leaf = depth == 0 || shapes.isEmpty() || (depth < DEEPEST && random.nextInt(3) == 0);
    return leaf ? one(LEAVES.get(type)) : filled(one(shapes), depth - 1);
  }

  private String one(List<String> texts) {
    return texts.get(random.nextInt(texts.size()));
  }
}
