package io.gpudra.kubeletplugin.device.mps;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.time.Duration;

/** Starts servers of one kind and sends commands to them. */
interface MpsControl {

  /** The file among the pipes of a server that exists as soon as the server listens. */
  String PIPE = "control";

  /** The command line of a server that stays in the foreground. */
  ImmutableList<String> server();

  /** The environment of a server beside its devices, such as its directories as it sees them. */
  ImmutableMap<String, String> environment(MpsPaths paths);

  /** Creates what a server needs beside its directories, unless it exists from an earlier one. */
  void makeRoom(MpsPaths paths) throws IOException;

  /**
   * Starts a server.
   *
   * @throws IOException when it cannot be started
   */
  Process start(ProcessBuilder server, MpsPaths paths) throws IOException;

  /** Undoes {@link #makeRoom}, also a part of it. */
  void cleanUp(MpsPaths paths) throws IOException;

  /**
   * Sends a command of one line.
   *
   * @param patience the maximum time for the answer
   * @throws IOException when no server listens
   */
  String ask(MpsPaths paths, String command, Duration patience) throws IOException;
}
