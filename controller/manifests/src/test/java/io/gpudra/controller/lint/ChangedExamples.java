package io.gpudra.controller.lint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** Examples with some characters changed. */
public final class ChangedExamples {
  private static final List<String> EXAMPLES = examples();

  /** What means something to YAML, to a schema or to a condition. */
  static final List<String> BITS =
      List.of(
          ": ",
          "- ",
          "\n",
          "  ",
          "\t",
          "{",
          "}",
          "[",
          "]",
          ",",
          "'",
          "\"",
          "|\n",
          ">-\n",
          "#",
          "&a ",
          "*a ",
          "<<: ",
          "---\n",
          "...\n",
          "!!int ",
          "!x ",
          "%YAML 1.1\n",
          "? ",
          "null",
          "-1",
          "1e9",
          "9999999999999999999",
          "0x",
          "yes",
          "\\U7FFFFFFF",
          "\\ud800",
          "\u0000",
          "\uFEFF",
          "é",
          "𝔾",
          "device.",
          "quantity('",
          "spec:",
          "requests:",
          "count:",
          "name:",
          "{{ .Values.x }}");

  private static List<String> examples() {
    try (Stream<Path> files = Files.list(Path.of("../../manifests/examples"))) {
      return files
          .filter(file -> file.toString().endsWith(".yaml"))
          .sorted()
          .map(ChangedExamples::text)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ChangedExamples() {}

  /** The texts of some examples, each changed by its seed. */
  public static Arbitrary<String> all() {
    return Arbitraries.longs().map(seed -> changed(new Random(seed)));
  }

  private static String changed(Random random) {
    StringBuilder text = new StringBuilder(EXAMPLES.get(random.nextInt(EXAMPLES.size())));
    for (int i = random.nextInt(6); i >= 0 && text.length() > 0; i--) {
      change(text, random);
    }
    return text.toString();
  }

  private static void change(StringBuilder text, Random random) {
    int at = random.nextInt(text.length());
    int end = Math.min(text.length(), at + 1 + random.nextInt(random.nextInt(5) == 0 ? 200 : 5));
    switch (random.nextInt(5)) {
      case 0 -> text.delete(at, end);
      case 1 -> text.insert(at, text.substring(at, end));
      case 2 -> text.setCharAt(at, (char) (32 + random.nextInt(95)));
      case 3 -> text.replace(at, end, BITS.get(random.nextInt(BITS.size())));
      default -> text.insert(at, BITS.get(random.nextInt(BITS.size())));
    }
  }
}
