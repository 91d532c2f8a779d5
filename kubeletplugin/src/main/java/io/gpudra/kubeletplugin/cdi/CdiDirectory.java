package io.gpudra.kubeletplugin.cdi;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.gpudra.crds.model.ClaimUid;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/** The directory from which container runtimes read spec files. */
public final class CdiDirectory implements CdiSpecs {

  /** Runtimes read only {@code .json} and {@code .yaml} (protocol.md 5.1). */
  private static final String UNFINISHED = ".tmp";

  private final Path directory;
  private final CdiNames names;

  private CdiDirectory(Path directory, CdiNames names) {
    this.directory = directory;
    this.names = names;
  }

  @Override
  public CdiNames names() {
    return names;
  }

  /**
   * Creates the directory when it is missing, and removes files that an earlier process of this
   * driver left unfinished.
   */
  public static CdiDirectory open(Path directory, CdiNames names) throws IOException {
    Files.createDirectories(directory);
    CdiDirectory opened = new CdiDirectory(directory, names);
    for (String file : opened.files()) {
      if (file.startsWith(names.filePrefix()) && file.endsWith(UNFINISHED)) {
        Files.deleteIfExists(directory.resolve(file));
      }
    }
    return opened;
  }

  @Override
  public void write(ClaimUid claim, CdiSpec spec) throws IOException {
    Path file = file(claim);
    byte[] wanted = spec.toJson();
    try {
      if (content(file).filter(found -> Arrays.equals(found, wanted)).isEmpty()) {
        replace(file, wanted);
      }
    } catch (IOException e) {
      throw new IOException("CDI file %s cannot be written: %s".formatted(file, e), e);
    }
  }

  private void replace(Path file, byte[] content) throws IOException {
    Path unfinished = directory.resolve(file.getFileName() + "." + UUID.randomUUID() + UNFINISHED);
    try {
      writeSynced(unfinished, content);
      Files.move(unfinished, file, ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  private static Optional<byte[]> content(Path file) throws IOException {
    try {
      return Optional.of(Files.readAllBytes(file));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private static void writeSynced(Path file, byte[] bytes) throws IOException {
    try (FileChannel out = FileChannel.open(file, CREATE_NEW, WRITE)) {
      // Does not depend on the umask: the runtime need not run as our user.
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
      ByteBuffer rest = ByteBuffer.wrap(bytes);
      while (rest.hasRemaining()) {
        out.write(rest);
      }
      out.force(true);
    }
  }

  @Override
  public void remove(ClaimUid claim) throws IOException {
    Files.deleteIfExists(file(claim));
  }

  private Path file(ClaimUid claim) throws IOException {
    if (!CdiNames.canName(claim)) {
      throw new IOException("claim UID \"%s\" is malformed".formatted(claim));
    }
    return directory.resolve(names.fileName(claim));
  }

  @Override
  public ImmutableSet<ClaimUid> present() throws IOException {
    return files().stream()
        .flatMap(file -> names.claimOf(file).stream())
        .collect(ImmutableSet.toImmutableSet());
  }

  private ImmutableList<String> files() throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .collect(ImmutableList.toImmutableList());
    }
  }
}
