package io.gpudra.kubeletplugin.device.nvidia;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinkerCacheTest {

  private static final int HEADER = 48;
  private static final int ENTRY = 24;
  static final int X86_64 = 0x0303;
  static final int I386 = 0x0003;

  @TempDir Path directory = Path.of("");

  record Entry(int flags, String name, String file) {}

  static byte[] cache(Entry... entries) {
    ByteBuffer head =
        ByteBuffer.allocate(HEADER + ENTRY * entries.length).order(ByteOrder.nativeOrder());
    ByteArrayOutputStream texts = new ByteArrayOutputStream();
    head.put("glibc-ld.so.cache1.1".getBytes(US_ASCII)).putInt(entries.length).position(HEADER);
    for (Entry entry : entries) {
      int name = head.capacity() + texts.size();
      texts.writeBytes((entry.name() + "\0").getBytes(US_ASCII));
      int file = head.capacity() + texts.size();
      texts.writeBytes((entry.file() + "\0").getBytes(US_ASCII));
      head.putInt(entry.flags()).putInt(name).putInt(file).putInt(0).putLong(0);
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(head.array());
    all.writeBytes(texts.toByteArray());
    return all.toByteArray();
  }

  private Path written(byte[] bytes) throws IOException {
    return Files.write(directory.resolve("ld.so.cache"), bytes);
  }

  @Test
  void readsWhatTheLinkerWouldTake() throws IOException {
    byte[] cache =
        cache(
            new Entry(I386, "libcuda.so.1", "/usr/lib/i386/libcuda.so.1"),
            new Entry(X86_64, "libcuda.so.1", "/usr/lib64/libcuda.so.1"),
            new Entry(X86_64, "libcuda.so.1", "/opt/libcuda.so.1"));

    assertThat(LinkerCache.read(written(cache)).files())
        .containsOnly(Map.entry("libcuda.so.1", Path.of("/usr/lib64/libcuda.so.1")));
  }

  @Test
  void anOlderTableInFrontIsPassedBy() throws IOException {
    byte[] cache = cache(new Entry(X86_64, "libm.so.6", "/lib/libm.so.6"));
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.writeBytes("ld.so-1.7.0\0....".getBytes(US_ASCII));
    both.writeBytes(cache);

    assertThat(LinkerCache.read(written(both.toByteArray())).files()).containsKey("libm.so.6");
  }

  @Test
  void refusesWhatIsDamaged() throws IOException {
    byte[] cache = cache(new Entry(X86_64, "libm.so.6", "/lib/libm.so.6"));

    for (int length = HEADER; length < cache.length; length++) {
      Path cut = written(Arrays.copyOf(cache, length));
      assertThatThrownBy(() -> LinkerCache.read(cut)).hasMessage(cut + " is damaged");
    }
    Path other = written(new byte[] {1, 2, 3});
    assertThatThrownBy(() -> LinkerCache.read(other)).hasMessageEndingWith("unknown format");
  }

  @Test
  void noMoreIsReadThanACacheCanHave() throws IOException {
    Path large = written(cache(new Entry(X86_64, "libm.so.6", "/lib/libm.so.6")));
    try (RandomAccessFile file = new RandomAccessFile(large.toFile(), "rw")) {
      file.setLength((16L << 20) + 1);
    }
    assertThatThrownBy(() -> LinkerCache.read(large))
        .hasMessage(large + " is longer than 16777216 bytes");
    assertThat(LinkerCache.orNone(large)).isEqualTo(LinkerCache.NONE);

    Path named = written(cache(new Entry(X86_64, "libm.so.6", "/" + "m".repeat(5000))));
    assertThatThrownBy(() -> LinkerCache.read(named)).hasMessage(named + " is damaged");
  }

  @Test
  void readsTheCacheOfThisMachine() throws IOException {
    Path own = Path.of("/etc/ld.so.cache");
    Assumptions.assumeTrue(Files.exists(own), "this machine has no linker cache");

    assertThat(LinkerCache.read(own).file("libc.so.6").orElseThrow()).exists();
  }
}
