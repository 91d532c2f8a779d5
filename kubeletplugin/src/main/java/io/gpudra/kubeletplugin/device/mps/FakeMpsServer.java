package io.gpudra.kubeletplugin.device.mps;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What runs in place of {@code nvidia-cuda-mps-control}: finds its directories in the same
 * variables, and answers the same commands, a line each, at a socket among its pipes.
 */
public final class FakeMpsServer {

  private static final String THREADS = "default_active_thread_percentage";

  private String threads = "100.0";
  private boolean over;

  private FakeMpsServer() {}

  /** Runs until it is told to quit. */
  public static void main(String[] args) throws IOException {
    Path socket = Path.of(System.getenv("CUDA_MPS_PIPE_DIRECTORY"), MpsControl.PIPE);
    new FakeMpsServer().serve(socket);
  }

  private void serve(Path socket) throws IOException {
    Files.deleteIfExists(socket);
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      while (!over) {
        try (SocketChannel client = server.accept();
            BufferedReader commands = new BufferedReader(Channels.newReader(client, UTF_8))) {
          String command = commands.readLine();
          if (command != null) {
            client.write(ByteBuffer.wrap((answer(command) + "\n").getBytes(UTF_8)));
          }
        }
      }
    } finally {
      Files.deleteIfExists(socket);
    }
  }

  private String answer(String command) {
    String verb = command.substring(0, (command + " ").indexOf(' '));
    return switch (verb) {
      case "get_" + THREADS -> threads;
      case "set_" + THREADS -> {
        threads = command.substring(verb.length()).strip();
        yield "";
      }
      case "set_default_device_pinned_mem_limit", "get_server_list" -> "";
      case "quit" -> {
        over = true;
        yield "";
      }
      default -> "Invalid command: " + command;
    };
  }
}
