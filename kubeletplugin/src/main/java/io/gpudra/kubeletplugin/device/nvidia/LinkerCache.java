package io.gpudra.kubeletplugin.device.nvidia;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.primitives.Bytes;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** What the dynamic linker has written down in {@code /etc/ld.so.cache}. */
final class LinkerCache {

  private static final byte[] MAGIC = "glibc-ld.so.cache1.1".getBytes(US_ASCII);
  private static final int HEADER = 48;
  private static final int ENTRY = 24;

  /** Which machine a library is for: 64 bits of x86 or of ARM. */
  private static final int MACHINE = 0xff00;

  private static final int X86_64 = 0x0300;
  private static final int AARCH64 = 0x0a00;

  private LinkerCache() {}

  /**
   * Files of libraries of 64 bits by the names that programs load them by.
   *
   * @throws IOException when it cannot be read, or is of another kind
   */
  static ImmutableSortedMap<String, Path> read(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    int start = Bytes.indexOf(bytes, MAGIC);
    if (start < 0) {
      throw new IOException(file + " is of an unknown format");
    }
    try {
      return entries(bytes, start);
    } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
      throw new IOException(file + " is damaged", e);
    }
  }

  private static ImmutableSortedMap<String, Path> entries(byte[] bytes, int start) {
    ByteBuffer cache =
        ByteBuffer.wrap(bytes, start, bytes.length - start).slice().order(ByteOrder.nativeOrder());
    int count = cache.getInt(MAGIC.length);
    Map<String, Path> found = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      int at = HEADER + i * ENTRY;
      int machine = cache.getInt(at) & MACHINE;
      if (machine == X86_64 || machine == AARCH64) {
        String name = text(cache, cache.getInt(at + Integer.BYTES));
        // The linker takes the first of a name.
        found.putIfAbsent(name, Path.of(text(cache, cache.getInt(at + 2 * Integer.BYTES))));
      }
    }
    return ImmutableSortedMap.copyOf(found);
  }

  private static String text(ByteBuffer cache, int start) {
    int end = start;
    while (cache.get(end) != 0) {
      end++;
    }
    byte[] text = new byte[end - start];
    cache.get(start, text);
    return new String(text, UTF_8);
  }
}
