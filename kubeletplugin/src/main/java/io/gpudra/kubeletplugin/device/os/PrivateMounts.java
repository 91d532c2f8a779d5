package io.gpudra.kubeletplugin.device.os;

import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.Uninterruptibles;
import com.sun.jna.LastErrorException;
import com.sun.jna.NativeLong;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Directories in memory, and processes that see some directories at other places than the rest of
 * the system. Only a privileged process may do this (man 2 mount, man 2 unshare).
 */
public final class PrivateMounts {

  private static final int CLONE_NEWNS = 0x20000;
  private static final long NOSUID_NODEV_NOEXEC = 2 | 4 | 8;
  private static final long BIND = 0x1000 | 0x4000;
  private static final long SLAVES = 0x4000 | 0x80000;
  private static final int DETACH = 2;
  private static final int EPERM = 1;
  private static final int ENOENT = 2;
  private static final int EINVAL = 22;

  private PrivateMounts() {}

  /**
   * Keeps the files of a directory in memory.
   *
   * @param bounds mode and size (tmpfs(5))
   */
  public static void mountMemory(Path directory, String bounds) throws IOException {
    mount("tmpfs", directory, "tmpfs", NOSUID_NODEV_NOEXEC, bounds);
  }

  /** Whether something is mounted at a directory. */
  public static boolean isMounted(Path directory) throws IOException {
    return !device(directory).equals(device(directory.resolveSibling("")));
  }

  private static Object device(Path directory) throws IOException {
    return Files.getAttribute(directory, "unix:dev");
  }

  /** Removes all mounts at the directory, if there are any, also while they are in use. */
  public static void unmount(Path directory) throws IOException {
    try {
      while (true) {
        LibC.Held.C.umount2(directory.toString(), DETACH);
      }
    } catch (LastErrorException e) {
      if (e.getErrorCode() != EINVAL && e.getErrorCode() != ENOENT) {
        throw new IOException("%s cannot be unmounted: %s".formatted(directory, e.getMessage()), e);
      }
    }
  }

  /**
   * Starts a process from a thread that has mounts of its own, which the process inherits.
   *
   * @param shown the directories that it sees at another place, by this place; the first is mounted
   *     first
   */
  public static Process start(ProcessBuilder program, ImmutableMap<Path, Path> shown)
      throws IOException {
    FutureTask<Process> start =
        new FutureTask<>(
            () -> {
              unshareMounts();
              for (Map.Entry<Path, Path> one : shown.entrySet()) {
                mount(one.getValue().toString(), one.getKey(), null, BIND, null);
              }
              return program.start();
            });
    new Thread(start, "own-mounts").start();
    try {
      return Objects.requireNonNull(Uninterruptibles.getUninterruptibly(start));
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException refused ? refused : new IOException(e);
    }
  }

  private static void unshareMounts() throws IOException {
    try {
      LibC.Held.C.unshare(CLONE_NEWNS);
    } catch (LastErrorException e) {
      throw refused("mounts of one's own", e);
    }
    mount(null, Path.of("/"), null, SLAVES, null);
  }

  private static void mount(
      @Nullable String source,
      Path target,
      @Nullable String type,
      long flags,
      @Nullable String data)
      throws IOException {
    try {
      LibC.Held.C.mount(source, target.toString(), type, new NativeLong(flags), data);
    } catch (LastErrorException e) {
      throw refused("a mount at " + target, e);
    }
  }

  private static IOException refused(String what, LastErrorException e) {
    String remedy = e.getErrorCode() == EPERM ? "; the plugin must be privileged" : "";
    return new IOException("%s: %s%s".formatted(what, e.getMessage(), remedy), e);
  }
}
