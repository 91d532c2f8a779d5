package io.gpudra.kubeletplugin.device.mps;

import java.nio.file.Path;

/**
 * Where a server meets its clients.
 *
 * @param pipes the directory that a client finds it by
 * @param memory what both see as {@code /dev/shm}
 */
public record MpsPaths(Path pipes, Path memory) {}
