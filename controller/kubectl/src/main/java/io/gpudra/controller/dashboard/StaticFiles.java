package io.gpudra.controller.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/** The page's own files, by path. */
final class StaticFiles {

  /** One file of the page. */
  record File(String type, String content) {}

  private static final ImmutableMap<String, File> BY_PATH =
      ImmutableMap.of(
          TokenAuth.START,
          file("index.html", "text/html; charset=utf-8"),
          "/page.css",
          file("page.css", "text/css; charset=utf-8"),
          "/page.js",
          file("page.js", "text/javascript; charset=utf-8"));

  private StaticFiles() {}

  static Optional<File> at(String path) {
    return Optional.ofNullable(BY_PATH.get(path));
  }

  private static File file(String name, String type) {
    try {
      return new File(
          type, Resources.toString(Resources.getResource(StaticFiles.class, name), UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("the jar lacks " + name, e);
    }
  }
}
