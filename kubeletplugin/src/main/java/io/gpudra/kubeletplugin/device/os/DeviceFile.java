package io.gpudra.kubeletplugin.device.os;

import com.sun.jna.LastErrorException;
import java.io.IOException;
import java.nio.file.Path;

/** Files that stand for devices (man 2 mknod), which only a privileged process may make. */
public final class DeviceFile {

  private static final int CHARACTER_DEVICE = 0020000;

  private DeviceFile() {}

  /** Creates the file of a character device. */
  public static void make(Path file, int mode, int major, int minor) throws IOException {
    try {
      LibC.Held.C.mknod(file.toString(), CHARACTER_DEVICE | mode, packed(major, minor));
    } catch (LastErrorException | UnsatisfiedLinkError e) {
      throw new IOException("%s: %s".formatted(file, e.getMessage()), e);
    }
  }

  /** The device number, as Linux packs it. */
  private static long packed(int major, int minor) {
    return (minor & 0xffL)
        | ((major & 0xfffL) << 8)
        | ((minor & ~0xffL) << 12)
        | ((major & ~0xfffL) << 32);
  }
}
