package io.gpudra.controller.cli;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.gpudra.controller.access.ClusterView;
import io.gpudra.controller.access.ReadScope;
import io.gpudra.controller.check.command.ConnectErrorText;
import io.gpudra.controller.check.command.ProgressReporter;
import io.gpudra.controller.check.command.TerminalText;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.kube.ForbiddenKind;
import io.gpudra.controller.kube.KubeSettings;
import io.gpudra.controller.kube.ServerSupport;
import io.gpudra.controller.view.UserView;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** A command that reads the cluster once and answers from this snapshot. */
abstract class ClusterCommand implements Callable<Integer> {
  @ParentCommand private @Nullable GpudraCommand gpudra;
  @Spec private @Nullable CommandSpec spec;
  @Mixin private OutputFormat output = new OutputFormat();
  private @Nullable HttpClients connection;
  private @Nullable ProgressReporter progress;

  /**
   * Prints the answer to {@link #out}.
   *
   * @return the exit code
   * @throws IOException when it cannot be answered
   */
  abstract int answer(UserView userView) throws IOException;

  /** The exit code of an answer that needs no snapshot, after it was printed; empty otherwise. */
  Optional<Integer> answerWithoutSnapshot() throws IOException {
    return Optional.empty();
  }

  @Override
  public final Integer call() {
    ImmutableList<String> problems = parent().problems();
    if (!problems.isEmpty()) {
      problems.forEach(err()::println);
      return GpudraCommand.NOT_ANSWERED;
    }
    try (HttpClients http = parent().connect();
        ProgressReporter reading = new ProgressReporter(err(), "reading the cluster")) {
      connection = http;
      progress = reading;
      Optional<Integer> answered = answerWithoutSnapshot();
      int code = answered.isPresent() ? answered.get() : answerFromSnapshot(http, reading);
      out().flush();
      return code;
    } catch (IOException e) {
      err().println("cannot answer: " + ConnectErrorText.why(e));
      return GpudraCommand.NOT_ANSWERED;
    }
  }

  private int answerFromSnapshot(HttpClients http, ProgressReporter reading) throws IOException {
    KubeSettings settings = settings(http);
    UserView userView = clusterView(http, settings);
    alsoRead(http, settings)
        .forEach(
            forbiddenKind -> err().println("note: " + TerminalText.line(forbiddenKind.text())));
    userView.missing().forEach(text -> err().println("note: " + TerminalText.line(text)));
    reading.now("working out the answer");
    return answer(userView);
  }

  /** Reads the cluster. */
  final UserView clusterView(HttpClients http) throws IOException {
    return clusterView(http, settings(http));
  }

  /**
   * Reads further objects that this command needs.
   *
   * @return kinds that the caller may not read
   */
  ImmutableList<ForbiddenKind> alsoRead(HttpClients http, KubeSettings settings)
      throws IOException {
    return ImmutableList.of();
  }

  /** The kinds of objects to read. */
  ReadScope readScope() {
    return ReadScope.EVERYTHING;
  }

  private KubeSettings settings(HttpClients http) throws IOException {
    int minor =
        switch (readScope()) {
          case USE, USE_AND_QUOTAS -> KubeSettings.ANY_MINOR;
          case EVERYTHING -> ServerSupport.of(http).minor();
        };
    return new KubeSettings(parent().driverName(), minor, Clock.systemUTC());
  }

  private UserView clusterView(HttpClients http, KubeSettings settings) throws IOException {
    ClusterView objects = ClusterView.of(http, settings, namespace(), readScope());
    return UserView.of(objects, settings.driverName(), settings.clock().instant());
  }

  /** Connection to the cluster, for further calls. */
  HttpClients http() {
    return requireNonNull(connection, "connected by call");
  }

  String driverName() {
    return parent().driverName();
  }

  final GpudraCommand parent() {
    return requireNonNull(gpudra, "set by picocli");
  }

  /** The selected namespace. */
  String namespace() throws IOException {
    return parent().connection().namespace();
  }

  /** Whether all namespaces are selected. */
  boolean allNamespaces() {
    return parent().connection().allNamespaces;
  }

  OutputFormat output() {
    return output;
  }

  /** Standard output, for the answer. Ends the progress messages. */
  PrintWriter out() {
    if (progress != null) {
      progress.close();
    }
    return requireNonNull(spec, "set by picocli").commandLine().getOut();
  }

  PrintWriter err() {
    return requireNonNull(spec, "set by picocli").commandLine().getErr();
  }
}
