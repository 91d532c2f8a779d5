package io.gpudra.scenarios.cluster;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * What a node's disk would hold. The names are short for the sake of the sockets.
 *
 * @param kubelet where the kubelet and its plugins meet
 * @param cdi what is injected into containers
 * @param state what the plugin remembers
 * @param bootId a file that differs after each boot
 */
record NodeDirectories(Path kubelet, Path cdi, Path state, Path bootId) {

  static NodeDirectories create(Path parent) throws IOException {
    return new NodeDirectories(
        Files.createDirectories(parent.resolve("kubelet")),
        Files.createDirectories(parent.resolve("cdi")),
        Files.createDirectories(parent.resolve("state")),
        Files.writeString(parent.resolve("boot_id"), UUID.randomUUID().toString()));
  }

  List<String> cdiFiles() {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(cdi, "*.json")) {
      files.forEach(file -> names.add(String.valueOf(file.getFileName())));
    } catch (IOException e) {
      names.add(cdi + " cannot be read: " + e);
    }
    return names;
  }
}
