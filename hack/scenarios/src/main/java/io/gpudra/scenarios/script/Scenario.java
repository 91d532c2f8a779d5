package io.gpudra.scenarios.script;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One example, read from {@code <name>.expect.yaml}. When its steps are done, everything it applied
 * is deleted and every GPU must be free: that is the end of every scenario and not written down.
 *
 * @param name the file's name without its suffix
 * @param about one sentence for people
 * @param namespace where its pods and claims live
 * @param kind when and where it is run
 * @param directory where the manifests that the steps name are
 */
public record Scenario(
    String name,
    String about,
    String namespace,
    Kind kind,
    Path directory,
    ImmutableList<Step> steps) {

  /**
   * When and where a scenario is run.
   *
   * @param tour among the few that show what there is
   * @param alone while no other is, because it counts on every GPU of a kind or changes what is not
   *     in its namespace
   * @param needs what only a real cluster has, for people; absent when it runs on any
   */
  public record Kind(boolean tour, boolean alone, Optional<String> needs) {}

  private static final String SUFFIX = ".expect.yaml";
  private static final YAMLMapper YAML =
      YAMLMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  /**
   * All scenarios of a directory, in the order of their names.
   *
   * @throws IOException when a file cannot be read or says something that is not understood; the
   *     message names the file
   */
  public static ImmutableList<Scenario> all(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      ImmutableList.Builder<Scenario> scenarios = ImmutableList.builder();
      for (Path file :
          files.filter(f -> f.getFileName().toString().endsWith(SUFFIX)).sorted().toList()) {
        scenarios.add(read(file));
      }
      return scenarios.build();
    }
  }

  /**
   * One scenario.
   *
   * @throws IOException as {@link #all} does
   */
  public static Scenario read(Path file) throws IOException {
    String name = file.getFileName().toString().replace(SUFFIX, "");
    Path directory = file.toAbsolutePath().getParent();
    try {
      Script script = YAML.readValue(Files.readString(file), Script.class);
      return script.scenario(name, directory == null ? Path.of("/") : directory);
    } catch (JsonMappingException | IllegalArgumentException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  /** Whether people mean this scenario by the word: its name, with or without its number. */
  public boolean isNamed(String word) {
    return name.equals(word) || name.replaceFirst("^\\d+-", "").equals(word);
  }

  /** The file's text. */
  private record Script(
      @Nullable String about,
      @Nullable String namespace,
      boolean tour,
      boolean alone,
      @Nullable String needs,
      @Nullable List<Line> steps) {

    private Scenario scenario(String name, Path directory) {
      if (about == null || namespace == null || steps == null || steps.isEmpty()) {
        throw new IllegalArgumentException("about, namespace and steps are required");
      }
      return new Scenario(
          name,
          about,
          namespace,
          new Kind(tour, alone, Optional.ofNullable(needs)),
          directory,
          steps.stream().map(Line::step).collect(ImmutableList.toImmutableList()));
    }
  }

  /** One entry of {@code steps}. */
  private record Line(
      @Nullable String apply,
      @Nullable String delete,
      @Nullable ExpectationText expect,
      @Nullable String since) {

    private Step step() {
      if (since != null && expect == null) {
        throw new IllegalArgumentException("since is for expect");
      }
      if (apply != null && delete == null && expect == null) {
        return new Step.Apply(apply);
      }
      if (delete != null && apply == null && expect == null) {
        return new Step.Delete(delete);
      }
      if (expect != null && apply == null && delete == null) {
        return new Step.Expect(expect.expectation(), since == null ? 0 : minor(since));
      }
      throw new IllegalArgumentException("a step is one of apply, delete, expect");
    }

    private static int minor(String version) {
      if (!version.matches("1\\.\\d{1,3}")) {
        throw new IllegalArgumentException(
            "since: \"%s\" is no version such as \"1.28\"".formatted(version));
      }
      return Integer.parseInt(version.substring(2));
    }
  }

  /** The text of an expectation, in which everything may be left out. */
  private record ExpectationText(
      @Nullable Map<String, Expectation.OfContainer> containers,
      @Nullable Map<String, Expectation.OfPod> pods,
      @Nullable Map<String, Expectation.OfClaim> claims,
      @Nullable List<List<String>> same,
      @Nullable List<List<String>> different) {

    private Expectation expectation() {
      return new Expectation(
          containers == null ? ImmutableMap.of() : ImmutableMap.copyOf(containers),
          pods == null ? ImmutableMap.of() : ImmutableMap.copyOf(pods),
          claims == null ? ImmutableMap.of() : ImmutableMap.copyOf(claims),
          groups(same),
          groups(different));
    }

    private static ImmutableList<ImmutableList<String>> groups(@Nullable List<List<String>> text) {
      return text == null
          ? ImmutableList.of()
          : text.stream().map(ImmutableList::copyOf).collect(ImmutableList.toImmutableList());
    }
  }
}
