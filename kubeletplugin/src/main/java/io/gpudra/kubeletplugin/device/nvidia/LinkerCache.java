package io.gpudra.kubeletplugin.device.nvidia;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.primitives.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The content of {@code /etc/ld.so.cache}, which the dynamic linker uses.
 *
 * @param files of 64-bit libraries by the names under which programs load them
 */
record LinkerCache(ImmutableSortedMap<String, Path> files) {

  private static final Logger log = LoggerFactory.getLogger(LinkerCache.class);

  /** The cache of a root without a linker. */
  static final LinkerCache NONE = new LinkerCache(ImmutableSortedMap.of());

  /** The limit; caches of large systems have a hundredth of it. */
  private static final int MAX_BYTES = 16 << 20;

  /** The limit of the kernel. */
  private static final int MAX_NAME = 4096;

  private static final byte[] MAGIC = "glibc-ld.so.cache1.1".getBytes(US_ASCII);
  private static final int HEADER = 48;
  private static final int ENTRY = 24;

  /** The kind of machine of a library: 64 bits of x86 or of ARM. */
  private static final int MACHINE = 0xff00;

  private static final int X86_64 = 0x0300;
  private static final int AARCH64 = 0x0a00;

  /** Libraries are searched in directories, too, so an unreadable cache hides no driver. */
  static LinkerCache orNone(Path file) {
    try {
      return read(file);
    } catch (IOException e) {
      log.warn("ignoring the linker cache reason=\"{}; run ldconfig\"", e.getMessage());
      return NONE;
    }
  }

  Optional<Path> file(String name) {
    return Optional.ofNullable(files.get(name));
  }

  /**
   * Reads the cache.
   *
   * @throws IOException when it cannot be read, or has another format
   */
  static LinkerCache read(Path file) throws IOException {
    byte[] bytes = bytes(file);
    int start = Bytes.indexOf(bytes, MAGIC);
    if (start < 0) {
      throw new IOException(file + " is of an unknown format");
    }
    try {
      return new LinkerCache(entries(bytes, start));
    } catch (BufferUnderflowException | IndexOutOfBoundsException | InvalidPathException e) {
      throw new IOException(file + " is damaged", e);
    }
  }

  private static byte[] bytes(Path file) throws IOException {
    try (InputStream from = Files.newInputStream(file)) {
      byte[] bytes = from.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new IOException("%s is longer than %d bytes".formatted(file, MAX_BYTES));
      }
      return bytes;
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
        // The linker uses the first file of a name.
        found.putIfAbsent(name, Path.of(text(cache, cache.getInt(at + 2 * Integer.BYTES))));
      }
    }
    return ImmutableSortedMap.copyOf(found);
  }

  private static String text(ByteBuffer cache, int start) {
    int end = start;
    while (cache.get(end) != 0) {
      end++;
      if (end - start > MAX_NAME) {
        throw new BufferUnderflowException();
      }
    }
    byte[] text = new byte[end - start];
    cache.get(start, text);
    return new String(text, UTF_8);
  }
}
