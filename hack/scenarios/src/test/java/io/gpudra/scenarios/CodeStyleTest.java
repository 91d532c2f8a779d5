package io.gpudra.scenarios;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.io.MoreFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Names, words and sizes of the product's code, as docs/design/glossary.md asks for them. */
class CodeStyleTest {
  private static final int MAX_LINES_OF_A_MODULE = 19_000;

  /** Terms of Kubernetes, DRA, NVML and this driver that need no second word. */
  private static final ImmutableSet<String> TERMS =
      ImmutableSet.copyOf(
          Splitter.on(' ')
              .split(
                  "Allocator Checkpoint Dashboard Deallocator Diagnosis Doctor Driver Evictor"
                      + " Finding Gpu Grant Hold Informer Inventory Ledgers Nvml Part Placement"
                      + " Reconciler Requeuer Scope Turn Webhook Workload Xid"));

  private static final Pattern WORD = Pattern.compile("[A-Z]+(?=[A-Z][a-z])|[A-Z][a-z0-9]*|[A-Z]+");
  private static final Pattern PRONOUN =
      Pattern.compile("(?i)\\b(nobody|somebody|anybody|everybody|whoever|whatever|whosever)\\b");
  private static final Pattern BOUND = Pattern.compile("static final [^=]*\\b(MOST|LEAST)(_|\\b)");

  private static ImmutableList<Source> sources = ImmutableList.of();

  /** One file of the product. */
  private record Source(String module, String type, String text) {
    long lines() {
      return text.lines().count();
    }

    ImmutableList<String> words() {
      return WORD.matcher(type).results().map(word -> word.group()).collect(toImmutableList());
    }

    Stream<String> linesWith(Pattern pattern) {
      return text.lines()
          .filter(line -> pattern.matcher(line).find())
          .map(line -> type + ": " + line);
    }
  }

  @BeforeAll
  static void read() throws IOException {
    ImmutableList.Builder<Source> found = ImmutableList.builder();
    for (String module : SourceFiles.PRODUCT) {
      for (Path file : SourceFiles.of(module)) {
        found.add(
            new Source(module, MoreFiles.getNameWithoutExtension(file), Files.readString(file)));
      }
    }
    sources = found.build();
    assertThat(sources).hasSizeGreaterThan(500);
  }

  private static Stream<Source> types() {
    return sources.stream().filter(source -> !source.type().equals("package-info"));
  }

  @Test
  void aNameOfOneWordIsATermOfTheGlossary() {
    assertThat(types().filter(type -> type.words().size() == 1).map(Source::type))
        .isSubsetOf(TERMS);
  }

  @Test
  void noTwoTypesShareAName() {
    assertThat(
            types().collect(Collectors.groupingBy(Source::type, Collectors.counting())).entrySet())
        .filteredOn(name -> name.getValue() > 1)
        .isEmpty();
  }

  @Test
  void boundsAreCalledMaxOrMin() {
    assertThat(types().flatMap(type -> type.linesWith(BOUND))).isEmpty();
  }

  @Test
  void sentencesHaveNounsForSubjects() {
    assertThat(sources.stream().flatMap(type -> type.linesWith(PRONOUN))).isEmpty();
  }

  @Test
  void everyModuleIsSmallEnoughToKnow() {
    Map<String, Long> lines =
        types()
            .collect(Collectors.groupingBy(Source::module, Collectors.summingLong(Source::lines)));

    assertThat(lines.values()).allMatch(count -> count <= MAX_LINES_OF_A_MODULE);
  }
}
