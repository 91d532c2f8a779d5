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
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Replaces {@code nvidia-cuda-mps-control}: finds its directories in the same variables, and
 * answers the same commands, one per line, at a socket among its pipes.
 */
public final class FakeMpsServer {

  private static final String THREADS = "default_active_thread_percentage";
  private static final String MEMORY = "default_device_pinned_mem_limit";
  private static final Pattern PERCENTAGE = Pattern.compile("[1-9]\\d?|100");
  private static final Pattern ORDINAL = Pattern.compile("\\d+");

  private final Map<String, String> memory = new HashMap<>();
  private String threads = "100.0";
  private boolean over;

  private FakeMpsServer() {}

  /** Runs until it receives the command to quit. */
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

  /** Ignores unknown values silently, as the real server does. */
  private String answer(String command) {
    String[] words = (command + "   ").split(" ", 4);
    return switch (words[0]) {
      case "get_" + THREADS -> threads;
      case "set_" + THREADS -> {
        threads = PERCENTAGE.matcher(words[1]).matches() ? words[1] + ".0" : threads;
        yield threads;
      }
      case "get_" + MEMORY -> memory.getOrDefault(words[1], "");
      case "set_" + MEMORY -> {
        if (ORDINAL.matcher(words[1]).matches()) {
          memory.put(words[1], words[2]);
        }
        yield "";
      }
      case "get_server_list" -> "";
      case "quit" -> {
        over = true;
        yield "";
      }
      default -> "Unknown command \"%s\"".formatted(command);
    };
  }
}
