package io.gpudra.kubeletplugin.device.mps;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import com.google.common.collect.ImmutableList;
import io.gpudra.kubeletplugin.device.os.MountTable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.util.UUID;

/**
 * Deletes directories that containers may have filled and that are not trusted. It uses handles of
 * directories, so that no link leads elsewhere, even if a name is replaced meanwhile. Handles and
 * stack do not grow with the depth, and one call deletes no more than {@link #MAX} entries. A mount
 * is not deleted: containers cannot mount there, so another component did.
 */
final class DirectoryTreeDeleter {

  static final int MAX = 100_000;

  private int remaining = MAX;

  private DirectoryTreeDeleter() {}

  /**
   * Deletes a directory and its content.
   *
   * @param parent our own, which no other process can write
   * @throws IOException also when there are more entries than can be deleted at a time; the next
   *     attempt continues
   */
  static void delete(Path parent, String name) throws IOException {
    requireNoMount(MountTable.OWN.within(parent.toRealPath().resolve(name)));
    within(
        parent,
        own -> {
          new DirectoryTreeDeleter().empty(own, Path.of(name));
          own.deleteDirectory(Path.of(name));
        });
  }

  /** Deletes the content of the directory, which may be a mount of our own. */
  static void empty(Path parent, String name) throws IOException {
    requireNoMount(MountTable.OWN.below(parent.toRealPath().resolve(name)));
    within(parent, own -> new DirectoryTreeDeleter().empty(own, Path.of(name)));
  }

  private static void requireNoMount(ImmutableList<String> places) throws IOException {
    if (!places.isEmpty()) {
      throw new IOException("%s is mounted; nothing is deleted there".formatted(places.get(0)));
    }
  }

  private interface Deletion {
    void in(SecureDirectoryStream<Path> own) throws IOException;
  }

  private static void within(Path parent, Deletion deletion) throws IOException {
    try (DirectoryStream<Path> opened = Files.newDirectoryStream(parent)) {
      if (!(opened instanceof SecureDirectoryStream<Path> own)) {
        throw new IOException("%s has no handles of directories".formatted(parent));
      }
      deletion.in(own);
    }
  }

  private void empty(SecureDirectoryStream<Path> parent, Path name) throws IOException {
    boolean again = true;
    while (again) {
      try (SecureDirectoryStream<Path> all = parent.newDirectoryStream(name, NOFOLLOW_LINKS)) {
        again = deleteEach(all);
      }
    }
  }

  /** Whether more directories below must be deleted. */
  private boolean deleteEach(SecureDirectoryStream<Path> all) throws IOException {
    boolean lifted = false;
    for (Path entry : all) {
      Path name = entry.getFileName();
      if (isDirectory(all, name)) {
        lifted |= lift(all, name);
        all.deleteDirectory(name);
      } else {
        all.deleteFile(name);
      }
    }
    return lifted;
  }

  /** Moves the directories inside a directory out of it. */
  private boolean lift(SecureDirectoryStream<Path> all, Path directory) throws IOException {
    boolean lifted = false;
    try (SecureDirectoryStream<Path> inner = all.newDirectoryStream(directory, NOFOLLOW_LINKS)) {
      for (Path entry : inner) {
        Path name = entry.getFileName();
        if (isDirectory(inner, name)) {
          inner.move(name, all, Path.of(UUID.randomUUID().toString()));
          lifted = true;
        } else {
          inner.deleteFile(name);
        }
      }
    }
    return lifted;
  }

  private boolean isDirectory(SecureDirectoryStream<Path> in, Path name) throws IOException {
    if (remaining-- == 0) {
      throw new IOException("more than %d files; the next attempt goes on".formatted(MAX));
    }
    return in.getFileAttributeView(name, BasicFileAttributeView.class, NOFOLLOW_LINKS)
        .readAttributes()
        .isDirectory();
  }
}
