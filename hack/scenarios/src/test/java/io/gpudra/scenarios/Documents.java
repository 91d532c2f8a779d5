package io.gpudra.scenarios;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What others have written for drivers like this one, as {@code blocks.yaml} lists it. */
public final class Documents {
  static final Path DIRECTORY = Path.of("src/test/resources/io/gpudra/scenarios/documents");
  static final Path SCENARIOS = Path.of("documents");
  private static final String EXAMPLES = "manifests/examples";

  /** A text by others. */
  public record Document(String document, List<Promise> promises, List<Block> blocks) {}

  /**
   * What a text says that a cluster then has.
   *
   * @param by scenarios, or pages by their path from the root
   * @param not the reason why it is not had here
   */
  public record Promise(String text, @Nullable List<String> by, @Nullable String not) {

    /** The files that show it, by their paths from the root. */
    public List<String> shownBy() {
      return by == null ? List.of() : by.stream().map(Documents::shownBy).toList();
    }
  }

  /** A YAML block of a text, with what comes of it. */
  public record Block(
      String file,
      @Nullable String runs,
      @Nullable List<String> says,
      @Nullable List<String> converts,
      @Nullable String refused,
      int conditions,
      @Nullable JsonNode chart,
      @Nullable String inside,
      @Nullable String cannot) {

    Path path() {
      return (runs == null || converts != null ? DIRECTORY : SCENARIOS).resolve(file);
    }

    String text() throws IOException {
      return Files.readString(path());
    }

    /** The file that a scenario applies. */
    String applied() {
      return converts == null ? file : file.replace(".yaml", ".converted.yaml");
    }

    /** The file of the scenario that applies it; empty if there is none. */
    public String scenario() {
      return runs == null ? "" : shownBy(runs);
    }

    boolean saysWhatComesOfIt() {
      return Stream.of(runs, says, converts, refused, chart, cannot).anyMatch(one -> one != null)
          || conditions > 0;
    }

    @Override
    public String toString() {
      return file;
    }
  }

  private Documents() {}

  /** All documents. */
  public static List<Document> all() throws IOException {
    return new YAMLMapper()
        .readValue(DIRECTORY.resolve("blocks.yaml").toFile(), new TypeReference<>() {});
  }

  /** The blocks of all documents. */
  static List<Block> blocks(Predicate<Block> which) throws IOException {
    return all().stream().flatMap(one -> one.blocks().stream()).filter(which).toList();
  }

  private static String shownBy(String name) {
    return name.contains("/")
        ? name
        : Stream.of(EXAMPLES, "hack/scenarios/" + SCENARIOS)
            .map(directory -> "%s/%s.expect.yaml".formatted(directory, name))
            .filter(file -> Files.exists(Pages.ROOT.resolve(file)))
            .findFirst()
            .orElse(name);
  }
}
