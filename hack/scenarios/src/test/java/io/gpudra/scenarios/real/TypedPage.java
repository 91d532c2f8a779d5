package io.gpudra.scenarios.real;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableListMultimap.flatteningToImmutableListMultimap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page, as far as it tells an administrator what to do.
 *
 * @param blocks of commands, by the first words of the section's title
 * @param manifests in their order
 */
record TypedPage(ImmutableListMultimap<String, String> blocks, ImmutableList<String> manifests) {
  private static final Pattern SECTION = Pattern.compile("(?ms)^#+ ([^:\\n]+)(.*?)(?=^#+ |\\z)");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w*)\\n(.*?)^```$");

  static TypedPage read(Path file) throws IOException {
    String page = Files.readString(file);
    return new TypedPage(
        SECTION
            .matcher(page)
            .results()
            .collect(
                flatteningToImmutableListMultimap(
                    section -> section.group(1), section -> blocks("", section.group(2)))),
        blocks("yaml", page).collect(toImmutableList()));
  }

  private static Stream<String> blocks(String language, String text) {
    return BLOCK
        .matcher(text)
        .results()
        .filter(block -> block.group(1).equals(language))
        .map(block -> block.group(2));
  }

  /** Every command line. */
  ImmutableList<String> commands() {
    return blocks.values().stream().flatMap(String::lines).collect(toImmutableList());
  }
}
