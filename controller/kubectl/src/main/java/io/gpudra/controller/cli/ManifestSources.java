package io.gpudra.controller.cli;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.io.ByteStreams;
import com.google.common.io.MoreFiles;
import io.gpudra.controller.lint.ManifestText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Reads files of manifests, with limits for each file and for all together. */
public final class ManifestSources {

  /** The API server accepts no larger object. */
  static final int MAX_BYTES = 3 << 20;

  static final int MAX_FILES = 5_000;
  static final long MAX_BYTES_TOGETHER = 64L << 20;

  private static final String STANDARD_INPUT = "-";
  private static final String CHART = "Chart.yaml";
  private static final ImmutableSet<String> ENDINGS = ImmutableSet.of("yaml", "yml", "json");

  private final List<ManifestText> read = new ArrayList<>();
  private final List<NotRead> skipped = new ArrayList<>();
  private final List<NotRead> unread = new ArrayList<>();
  private long bytes;

  /** A file that was not read, and the reason. */
  public record NotRead(String file, String why) {}

  private ManifestSources() {}

  /**
   * Reads files, directories with all files below them, and the standard input.
   *
   * @param in the standard input, for the name {@code -}
   */
  public static ManifestSources read(List<String> names, InputStream in) {
    ManifestSources sources = new ManifestSources();
    for (String name : names) {
      if (name.equals(STANDARD_INPUT)) {
        sources.add("stdin", in);
      } else {
        sources.add(name);
      }
    }
    return sources;
  }

  /** The files that were read. */
  public ImmutableList<ManifestText> read() {
    return ImmutableList.copyOf(read);
  }

  /** Files that are skipped intentionally. */
  public ImmutableList<NotRead> skipped() {
    return ImmutableList.copyOf(skipped);
  }

  /** Files that could not be read. */
  public ImmutableList<NotRead> unread() {
    return ImmutableList.copyOf(unread);
  }

  private void add(String name) {
    try {
      Path path = Path.of(name);
      if (Files.isDirectory(path)) {
        Files.walkFileTree(path, new ManifestVisitor());
      } else {
        add(path);
      }
    } catch (IOException | InvalidPathException e) {
      unread.add(new NotRead(name, why(e)));
    }
  }

  /** Visits all files. Does not follow links to directories, which could form a cycle. */
  private final class ManifestVisitor extends SimpleFileVisitor<Path> {
    private final List<Path> files = new ArrayList<>();

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      if (ENDINGS.contains(MoreFiles.getFileExtension(file)) && Files.isRegularFile(file)) {
        files.add(file);
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
      unread.add(new NotRead(file.toString(), why(e)));
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, IOException e) {
      files.stream().sorted().forEach(ManifestSources.this::add);
      files.clear();
      return FileVisitResult.CONTINUE;
    }
  }

  private void add(Path file) {
    if (isTemplate(file)) {
      skipped.add(
          new NotRead(file.toString(), "a template of Helm; check the output of helm template"));
      return;
    }
    try (InputStream in = Files.newInputStream(file)) {
      add(file.toString(), in);
    } catch (IOException e) {
      unread.add(new NotRead(file.toString(), why(e)));
    }
  }

  /** Whether the file is below the directory {@code templates} of a chart. */
  private static boolean isTemplate(Path file) {
    return Stream.iterate(file.toAbsolutePath().getParent(), Path::getParent)
        .takeWhile(above -> above != null && above.getParent() != null)
        .anyMatch(
            above -> above.endsWith("templates") && Files.exists(above.resolveSibling(CHART)));
  }

  private void add(String name, InputStream in) {
    if (read.size() >= MAX_FILES || bytes >= MAX_BYTES_TOGETHER) {
      unread.add(new NotRead(name, "too many files; check fewer at once"));
      return;
    }
    try {
      byte[] all = ByteStreams.limit(in, MAX_BYTES + 1L).readAllBytes();
      bytes += all.length;
      if (all.length > MAX_BYTES) {
        unread.add(new NotRead(name, "larger than %d bytes".formatted(MAX_BYTES)));
      } else {
        read.add(new ManifestText(name, text(all)));
      }
    } catch (CharacterCodingException e) {
      unread.add(new NotRead(name, "no UTF-8 text"));
    } catch (IOException e) {
      unread.add(new NotRead(name, why(e)));
    }
  }

  private static String text(byte[] bytes) throws CharacterCodingException {
    String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    return text.startsWith("\uFEFF") ? text.substring(1) : text;
  }

  private static String why(Exception e) {
    return e instanceof NoSuchFileException ? "no such file" : String.valueOf(e.getMessage());
  }
}
