package io.gpudra.kubeletplugin.device.nvidia;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The numbers of a character device in the kernel. */
record DeviceNumber(int major, int minor) {

  private static final int TYPE = 0170000;
  private static final int CHARACTER_DEVICE = 0020000;

  /** The number of a device node. */
  static DeviceNumber of(Path file) throws IOException {
    int mode = ((Number) Files.getAttribute(file, "unix:mode")).intValue();
    if ((mode & TYPE) != CHARACTER_DEVICE) {
      throw new IOException(file + " is no character device");
    }
    long packed = ((Number) Files.getAttribute(file, "unix:rdev")).longValue();
    return new DeviceNumber(major(packed), minor(packed));
  }

  /** The major number, as Linux packs it. */
  private static int major(long number) {
    return (int) (((number >> 8) & 0xfff) | ((number >> 32) & ~0xfff));
  }

  private static int minor(long number) {
    return (int) ((number & 0xff) | ((number >> 12) & ~0xff));
  }
}
