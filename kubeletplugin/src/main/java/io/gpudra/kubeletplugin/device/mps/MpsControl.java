package io.gpudra.kubeletplugin.device.mps;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.time.Duration;

/** How servers of one kind are started and told what to do. */
interface MpsControl {

  /** Among the pipes of a server; it is there as soon as the server listens. */
  String PIPE = "control";

  /** The command line of a server that stays in the foreground. */
  ImmutableList<String> server();

  /** The environment of a server beside its devices, such as its directories as it sees them. */
  ImmutableMap<String, String> environment(MpsPaths paths);

  /** Makes what a server needs beside its directories, unless it is there from an earlier one. */
  void makeRoom(MpsPaths paths) throws IOException;

  /**
   * Starts a server.
   *
   * @throws IOException when it cannot be started
   */
  Process start(ProcessBuilder server, MpsPaths paths) throws IOException;

  /** Takes back what {@link #makeRoom} made, if there is any of it. */
  void cleanUp(MpsPaths paths) throws IOException;

  /**
   * Sends a command of one line.
   *
   * @param patience how long the answer may take
   * @throws IOException when no server listens
   */
  String ask(MpsPaths paths, String command, Duration patience) throws IOException;
}
