package io.gpudra.kubeletplugin.device.nvidia;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the first bytes of a library (man 5 elf). */
final class ElfHeader {

  private static final int MAGIC = 0x7f454c46;
  private static final int CLASS = 4;
  private static final int CLASS_64 = 2;
  private static final int MACHINE = 18;
  private static final int HEADER = 20;

  private static final int X86_64 = 62;
  private static final int AARCH64 = 183;

  private ElfHeader() {}

  /**
   * Whether a library is for another kind of machine, or for 32 bits: distributions have both in
   * {@code /usr/lib}. Files that are not libraries do not count as foreign.
   */
  static boolean isForeign(Path file) throws IOException {
    ByteBuffer header = header(file);
    return header.limit() == HEADER
        && header.getInt(0) == MAGIC
        && (header.get(CLASS) != CLASS_64
            || header.order(ByteOrder.nativeOrder()).getShort(MACHINE) != ours());
  }

  private static ByteBuffer header(Path file) throws IOException {
    try (InputStream from = Files.newInputStream(file)) {
      return ByteBuffer.wrap(from.readNBytes(HEADER));
    }
  }

  private static int ours() {
    return isArm() ? AARCH64 : X86_64;
  }

  private static boolean isArm() {
    return System.getProperty("os.arch").equals("aarch64");
  }

  /** The name of the directory of libraries of this kind of machine, in Debian and the like. */
  static String multiarch() {
    return isArm() ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  }
}
