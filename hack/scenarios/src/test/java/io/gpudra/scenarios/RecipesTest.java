package io.gpudra.scenarios;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The recipes for common changes name files and tests that exist. A change needs few files, and
 * most changes need one module: these limits may only become stricter.
 */
class RecipesTest {
  private static final int RECIPES = 10;

  private static final int MAX_FILES = 34;

  private static final int MIN_LOCAL = 9;

  private static final Pattern PATH = Pattern.compile("`([\\w.-]+(?:/[\\w.-]+)+)`");
  private static final Pattern TEST = Pattern.compile("`((?:\\w+\\.)+\\w+Test)(\\.\\w+)?`");
  private static final Pattern MODULE = Pattern.compile("(.+)/src/main/.*|(crds)/\\w+\\.yaml");

  /** A section of the page. */
  private record Recipe(String title, String text) {

    static Recipe of(String section) {
      int end = section.indexOf('\n');
      return new Recipe(section.substring(0, end), section.substring(end));
    }

    ImmutableSet<String> paths() {
      return PATH.matcher(text).results().map(path -> path.group(1)).collect(toImmutableSet());
    }

    /** Only product code is of a module; tests, pages and manifests may be anywhere. */
    ImmutableSet<String> modules() {
      return paths().stream()
          .map(MODULE::matcher)
          .filter(Matcher::matches)
          .map(path -> path.group(1) == null ? path.group(2) : path.group(1))
          .collect(toImmutableSet());
    }

    @Override
    public String toString() {
      return title;
    }
  }

  static ImmutableList<Recipe> recipes() {
    return Splitter.on("\n## ")
        .splitToStream(Pages.text("docs/contributing/recipes.md"))
        .skip(1)
        .map(Recipe::of)
        .collect(toImmutableList());
  }

  @Test
  void thereAreTen() {
    assertThat(recipes()).hasSize(RECIPES);
  }

  @ParameterizedTest
  @MethodSource("recipes")
  void itsFilesExist(Recipe recipe) {
    assertThat(recipe.paths())
        .isNotEmpty()
        .allSatisfy(path -> assertThat(Pages.ROOT.resolve(path)).exists());
  }

  @ParameterizedTest
  @MethodSource("recipes")
  void itsTestsExist(Recipe recipe) {
    assertThat(TEST.matcher(recipe.text()).results())
        .isNotEmpty()
        .allSatisfy(
            test -> {
              assertThat(SourceFiles.of("test", test.group(1).replace('.', '/'))).exists();
              if (test.group(2) != null) {
                SourceFiles.assertIsATest(test.group(1) + test.group(2));
              }
            });
  }

  @Test
  void togetherTheyNameFewFiles() {
    Stream<String> files = recipes().stream().flatMap(recipe -> recipe.paths().stream()).distinct();

    assertThat(files).hasSizeLessThanOrEqualTo(MAX_FILES);
  }

  @Test
  void mostAreOfOneModule() {
    assertThat(recipes())
        .filteredOn(recipe -> recipe.modules().size() == 1)
        .hasSizeGreaterThanOrEqualTo(MIN_LOCAL);
  }
}
