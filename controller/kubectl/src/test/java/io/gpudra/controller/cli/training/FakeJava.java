package io.gpudra.controller.cli.training;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A directory like that of a Java, whose program tells in a file how it was called. */
record FakeJava(Path home, Path calls) {

  /** What the archive holds that a fake Java makes. */
  static final String ARCHIVE = "classes";

  private static final String PROGRAM =
      """
      #!/bin/sh
      if [ "$1" = -version ]; then echo 'openjdk version "%1$s" 2026-01-01' >&2; exit; fi
      echo "$KUBECONFIG $*" >> %2$s
      for argument; do
        case $argument in -XX:ArchiveClassesAtExit=*) printf %3$s > "${argument#*=}"; exit %4$d ;; esac
      done
      echo answer
      """;

  /** One that says which version it is only when asked. */
  static FakeJava taciturn(Path home, String version) throws IOException {
    return make(home, version, 0);
  }

  /** One with the file that says which version it is. */
  static FakeJava of(Path home, String version) throws IOException {
    FakeJava java = make(home, version, 0);
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"%s\"\n".formatted(version));
    return java;
  }

  /** One that fails when it is to make an archive, with some of it written. */
  static FakeJava failing(Path home) throws IOException {
    return make(home, "17.0.1", 1);
  }

  private static FakeJava make(Path home, String version, int code) throws IOException {
    Files.createDirectories(home.resolve("bin"));
    Files.createDirectories(home.resolve("lib"));
    Files.writeString(home.resolve("lib/modules"), "");
    FakeJava java = new FakeJava(home, Files.createFile(home.resolve("calls")));
    Files.writeString(java.program(), PROGRAM.formatted(version, java.calls, ARCHIVE, code));
    Files.setPosixFilePermissions(java.program(), PosixFilePermissions.fromString("rwxr-xr-x"));
    return java;
  }

  Path program() {
    return home.resolve("bin/java");
  }

  /** How often it was called with such an argument. */
  long calls(String argument) throws IOException {
    return Files.readAllLines(calls).stream().filter(call -> call.contains(argument)).count();
  }
}
