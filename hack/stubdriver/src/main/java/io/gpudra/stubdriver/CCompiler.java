package io.gpudra.stubdriver;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Makes the library and the programs, each once in the life of this process. */
final class CCompiler {

  private static final String COMMAND = "cc";

  private static final ImmutableList<String> LIBRARY =
      ImmutableList.of("session.c", "gpu.c", "mig.c", "events.c", "machine.c");

  private static final ImmutableList<String> HEADERS =
      ImmutableList.of("machine.h", "stub.h", "types.h");

  private static final ImmutableList<String> OPTIONS =
      ImmutableList.of(COMMAND, "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror");

  /**
   * Libraries of a driver need them. By their full names, since the C libraries of today have
   * nothing to link with by the short ones.
   */
  private static final ImmutableList<String> NEEDED =
      ImmutableList.of(
          "-Wl,--no-as-needed", "-l:libdl.so.2", "-l:libpthread.so.0", "-l:librt.so.1");

  /** A line of ldd, such as {@code libc.so.6 => /lib/libc.so.6 (0x7f00)}. */
  private static final Pattern LIBRARY_PATH = Pattern.compile("(?m)(/\\S+) \\(0x");

  private static final Map<String, Path> MADE = new ConcurrentHashMap<>();
  private static final Map<String, ImmutableList<Loaded>> LOADED = new ConcurrentHashMap<>();

  private CCompiler() {}

  static boolean isThere() {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, COMMAND)));
  }

  /** The management library as one of that driver has it: it lacks what came later. */
  static Path library(int era) {
    return MADE.computeIfAbsent(
        "library of " + era,
        key ->
            make(
                ImmutableList.of(
                    "-fPIC",
                    "-shared",
                    "-fvisibility=hidden",
                    "-DERA=" + era,
                    "-Wl,-soname,libnvidia-ml.so.1"),
                LIBRARY,
                NEEDED));
  }

  static Path program(String name) {
    return MADE.computeIfAbsent(
        name, key -> make(ImmutableList.of(), ImmutableList.of(key + ".c"), NEEDED));
  }

  /** One that runs in a root that has nothing else. */
  static Path loneProgram(String name) {
    return MADE.computeIfAbsent(
        name,
        key -> make(ImmutableList.of("-static"), ImmutableList.of(key + ".c"), ImmutableList.of()));
  }

  /**
   * A library of this machine.
   *
   * @param name by which it is loaded
   * @param file a copy that is ours
   */
  record Loaded(Path name, Path file) {}

  /** What a program loads, its loader included. */
  static ImmutableList<Loaded> loaded(String program) {
    return LOADED.computeIfAbsent(program, key -> load(program(key)));
  }

  private static ImmutableList<Loaded> load(Path program) {
    try {
      Path here = Path.of("").toAbsolutePath();
      return LIBRARY_PATH
          .matcher(run(here, ImmutableList.of("ldd", program.toString())))
          .results()
          .map(path -> Path.of(path.group(1)))
          .map(path -> new Loaded(path, copyOf(path)))
          .collect(ImmutableList.toImmutableList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path copyOf(Path file) {
    try {
      Path copy = Files.createTempFile("stubdriver", ".so");
      Files.copy(
          file, copy, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
      copy.toFile().deleteOnExit();
      return copy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path make(
      ImmutableList<String> options,
      ImmutableList<String> sources,
      ImmutableList<String> libraries) {
    try {
      Path directory = Files.createTempDirectory("stubdriver");
      Path made = directory.resolve("made");
      ImmutableList<String> files = both(sources, HEADERS);
      for (String file : files) {
        copy(file, directory.resolve(file));
      }
      run(
          directory,
          ImmutableList.<String>builder()
              .addAll(OPTIONS)
              .addAll(options)
              .add("-o", made.toString())
              .addAll(sources)
              .addAll(libraries)
              .build());
      for (String file : files) {
        Files.delete(directory.resolve(file));
      }
      directory.toFile().deleteOnExit();
      made.toFile().deleteOnExit();
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ImmutableList<String> both(
      ImmutableList<String> some, ImmutableList<String> others) {
    return ImmutableList.<String>builder().addAll(some).addAll(others).build();
  }

  private static void copy(String resource, Path file) throws IOException {
    try (OutputStream to = Files.newOutputStream(file)) {
      Resources.copy(Resources.getResource(CCompiler.class, resource), to);
    }
  }

  private static String run(Path directory, ImmutableList<String> command) throws IOException {
    Process process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    String words = new String(process.getInputStream().readAllBytes(), UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException(words);
      }
      return words;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }
}
