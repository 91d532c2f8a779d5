package io.gpudra.scenarios;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The pages that users and contributors read: README.md, CONTRIBUTING.md and docs, without the
 * design.
 */
public final class Pages {
  /** The root of the repository. */
  public static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  /** Commands that only read, which {@code cluster.DocumentedAnswersTest} runs. */
  public static final Pattern ANSWERED =
      Pattern.compile("kubectl gpudra (?!migrate --from-cluster ).*|java -jar .* check .*");

  private static final Pattern BLOCK = Pattern.compile("(?ms)^( *)```(\\w*)\\n(.*?)^ *```$");

  /**
   * A block of code.
   *
   * @param page its path from the root
   * @param language empty for commands
   */
  public record Block(String page, String language, String text) {
    /** One line each, without comments. */
    public Stream<String> commands() {
      return text.replaceAll("\\\\\\n\\s*", "")
          .lines()
          .map(line -> line.replaceFirst("(^|\\s+)#.*", "").strip())
          .filter(line -> !line.isEmpty());
    }
  }

  private Pages() {}

  /** Paths from the root. */
  public static ImmutableList<String> all() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(
              Stream.of("README.md", "CONTRIBUTING.md"),
              docs.map(page -> ROOT.relativize(page).toString())
                  .filter(page -> page.endsWith(".md") && !page.startsWith("docs/design/"))
                  .sorted())
          .collect(toImmutableList());
    }
  }

  /** What is on a page. */
  public static String text(String page) {
    try {
      return Files.readString(ROOT.resolve(page));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The blocks of all pages. */
  public static ImmutableList<Block> blocks() throws IOException {
    return all().stream().flatMap(Pages::blocks).collect(toImmutableList());
  }

  private static Stream<Block> blocks(String page) {
    return BLOCK
        .matcher(text(page))
        .results()
        .map(block -> new Block(page, block.group(2), block.group(3)));
  }
}
