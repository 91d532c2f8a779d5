package io.gpudra.kubeletplugin.device.mps;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Controls {@link FakeMpsServer}, which answers at a socket among its pipes. */
record FakeMpsControl(ImmutableList<String> server) implements MpsControl {

  /** Runs on the JVM of this process. */
  FakeMpsControl() {
    this(
        ImmutableList.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx16m",
            "-Xss256k",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "-cp",
            System.getProperty("java.class.path"),
            FakeMpsServer.class.getName()));
  }

  @Override
  public ImmutableMap<String, String> environment(MpsPaths paths) {
    return ImmutableMap.of(
        "CUDA_MPS_PIPE_DIRECTORY",
        paths.pipes().toString(),
        "CUDA_MPS_LOG_DIRECTORY",
        paths.directory().toString());
  }

  @Override
  public void makeRoom(MpsPaths paths) {}

  @Override
  public Process start(ProcessBuilder server, MpsPaths paths) throws IOException {
    return server.start();
  }

  @Override
  public void cleanUp(MpsPaths paths) {}

  @Override
  public String ask(MpsPaths paths, String command, Duration patience) throws IOException {
    long end = System.nanoTime() + patience.toNanos();
    ByteBuffer answer = ByteBuffer.allocate(1024);
    try (SocketChannel server =
        SocketChannel.open(UnixDomainSocketAddress.of(paths.pipes().resolve(PIPE)))) {
      server.write(ByteBuffer.wrap((command + "\n").getBytes(UTF_8)));
      server.configureBlocking(false);
      while (server.read(answer) >= 0 && System.nanoTime() < end) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
    }
    return new String(answer.array(), 0, answer.position(), UTF_8).strip();
  }
}
