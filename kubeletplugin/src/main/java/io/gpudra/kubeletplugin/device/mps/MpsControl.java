package io.gpudra.kubeletplugin.device.mps;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** How servers of one kind are started and told what to do. */
interface MpsControl {

  /** Among the pipes of a server; it is there as soon as the server listens. */
  String PIPE = "control";

  /** The command line of a server that stays in the foreground. */
  ImmutableList<String> server();

  /** What a server needs beside the variables that CUDA knows. */
  ImmutableMap<String, String> environment();

  /**
   * Starts a server, and makes what it needs beside its directories.
   *
   * @throws IOException when it cannot be started; what was made meanwhile is left to {@link
   *     #cleanUp}
   */
  Process start(ProcessBuilder server, MpsPaths paths) throws IOException;

  /** Takes back what a start has made, if there was one. */
  void cleanUp(MpsPaths paths) throws IOException;

  /**
   * Sends a command, of one line.
   *
   * @param patience how long the answer may take
   * @throws IOException when nobody listens
   */
  String ask(Path pipes, String command, Duration patience) throws IOException;
}
