package io.gpudra.scenarios.process;

import com.google.common.collect.ImmutableList;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/** All processes that were started, by name. Closing stops them all. */
public final class Children implements AutoCloseable {
  private static final ImmutableList<String> SMALL_JVM =
      ImmutableList.of(
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-Xmx160m",
          "-Xss512k",
          // Java 24 and later warn about what protobuf does; earlier ones do not know the option.
          "-XX:+IgnoreUnrecognizedVMOptions",
          "--sun-misc-unsafe-memory-access=allow");

  private final Path logs;
  private final Map<String, Child> children = new ConcurrentSkipListMap<>();

  /** Guarded by this. */
  private boolean closed;

  /**
   * Has no processes yet.
   *
   * @param logs where each child's output goes, as {@code <name>.log}
   */
  public Children(Path logs) throws IOException {
    this.logs = Files.createDirectories(logs);
  }

  /** Starts a jar that can be run, as {@link #start} does. */
  public Child startJar(String name, Path jar, List<String> arguments) throws IOException {
    return start(
        name,
        ImmutableList.<String>builder()
            .add(Path.of(System.getProperty("java.home", ""), "bin", "java").toString())
            .addAll(SMALL_JVM)
            .add("-jar", jar.toString())
            .addAll(arguments)
            .build());
  }

  /**
   * Starts a command. Kills an earlier child of the same name and appends to its output.
   *
   * @throws IOException if no process can be started
   */
  public synchronized Child start(String name, List<String> command) throws IOException {
    if (closed) {
      throw new IOException("no longer starting " + name);
    }
    Optional<Child> before = named(name);
    before.ifPresent(Child::kill);
    Path log = logs.resolve(name + ".log");
    Child child = Child.start(name, command, log, output(log.toFile(), before.isPresent()));
    children.put(name, child);
    return child;
  }

  private static Redirect output(File log, boolean append) {
    return append ? Redirect.appendTo(log) : Redirect.to(log);
  }

  /** The child of that name, if there is one. */
  public Optional<Child> named(String name) {
    return Optional.ofNullable(children.get(name));
  }

  /** The first child that ended unexpectedly, with the end of its log. */
  public Optional<String> fault() {
    return children.values().stream().map(Child::death).flatMap(Optional::stream).findFirst();
  }

  /** The end of each child's output. */
  public String logTails() {
    StringBuilder tails = new StringBuilder();
    children
        .values()
        .forEach(
            child ->
                tails
                    .append("--- ")
                    .append(child.name())
                    .append('\n')
                    .append(String.join("\n", child.lastLines()))
                    .append('\n'));
    return tails.toString();
  }

  /** Signals all first, so that they stop in parallel. */
  @Override
  public synchronized void close() {
    closed = true;
    children.values().forEach(Child::askToStop);
    children.values().forEach(Child::awaitStop);
  }
}
