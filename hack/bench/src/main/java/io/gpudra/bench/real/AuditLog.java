package io.gpudra.bench.real;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** Follows an audit log that holds one event a line and is being written. */
final class AuditLog implements AutoCloseable {
  private static final int NEWLINE = '\n';

  private final RandomAccessFile file;

  AuditLog(Path path) throws IOException {
    this.file = new RandomAccessFile(path.toFile(), "r");
  }

  /** What was written since the last call, but for a line that is not complete yet. */
  ImmutableList<AuditEvent> next() throws IOException {
    byte[] bytes = new byte[Math.toIntExact(file.length() - file.getFilePointer())];
    file.readFully(bytes);
    int complete = bytes.length;
    while (complete > 0 && bytes[complete - 1] != NEWLINE) {
      complete--;
    }
    file.seek(file.getFilePointer() - (bytes.length - complete));
    return new String(bytes, 0, complete, UTF_8)
        .lines()
        .map(AuditEvent::parse)
        .collect(ImmutableList.toImmutableList());
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
