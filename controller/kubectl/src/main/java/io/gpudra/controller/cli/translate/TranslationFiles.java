package io.gpudra.controller.cli.translate;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.lint.ManifestText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files of the results: each at its place below a directory that was absent or empty.
 *
 * @param names the files and directories that were read; empty for a cluster
 * @param directory null for the standard output
 */
record TranslationFiles(List<String> names, @Nullable Path directory) {

  /** The reasons why nothing can be written. */
  ImmutableList<String> problems(List<ManifestText> texts) throws IOException {
    if (directory == null) {
      return ImmutableList.of();
    }
    if (Files.exists(directory) && !isEmpty(directory)) {
      return ImmutableList.of(directory + " is not empty; choose another directory");
    }
    Set<Path> places = new HashSet<>();
    return texts.stream()
        .map(ManifestText::name)
        .filter(name -> !places.add(place(name)))
        .map(name -> "%s: two results for %s; translate it by itself".formatted(name, place(name)))
        .collect(ImmutableList.toImmutableList());
  }

  private static boolean isEmpty(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return false;
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files.findAny().isEmpty();
    }
  }

  /** Writes the results. */
  void write(ImmutableMap<String, String> results, PrintWriter out) throws IOException {
    if (directory == null) {
      out.print(joined(results.values().asList()));
      return;
    }
    for (Map.Entry<String, String> result : results.entrySet()) {
      Path file = directory.resolve(place(result.getKey()));
      Files.createDirectories(file.getParent());
      Files.writeString(file, result.getValue());
    }
  }

  private static String joined(List<String> texts) {
    StringBuilder all = new StringBuilder();
    for (String text : texts) {
      boolean separated = all.isEmpty() || text.startsWith("---");
      all.append(separated ? "" : "---\n").append(text).append(text.endsWith("\n") ? "" : "\n");
    }
    return all.toString();
  }

  /** The relative path of a result: that below the directory that was read. */
  private Path place(String name) {
    Path file = Path.of(name.equals("stdin") ? "stdin.yaml" : name);
    return names.stream()
        .map(Path::of)
        .filter(given -> !given.equals(file) && file.startsWith(given))
        .findFirst()
        .map(given -> given.relativize(file))
        .orElseGet(() -> names.isEmpty() ? file : file.getFileName());
  }
}
