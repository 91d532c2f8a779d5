package io.gpudra.simulator.kubelet;

import io.gpudra.simulator.proto.registration.InfoRequest;
import io.gpudra.simulator.proto.registration.PluginInfo;
import io.gpudra.simulator.proto.registration.RegistrationGrpc;
import io.gpudra.simulator.proto.registration.RegistrationStatus;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The two calls to a registration socket, each on a connection of its own. */
final class RegistrationCall {
  private static final int INFO_SECONDS = 1;
  private static final int NOTIFY_SECONDS = 5;

  /** What GetInfo gave, or why nothing. */
  record Answer(Optional<PluginInfo> info, String problem) {}

  private final UnixChannels channels;

  RegistrationCall(UnixChannels channels) {
    this.channels = channels;
  }

  Answer getInfo(Path socket) {
    ManagedChannel channel = channels.open(socket);
    try {
      PluginInfo info =
          RegistrationGrpc.newBlockingStub(channel)
              .withDeadlineAfter(INFO_SECONDS, TimeUnit.SECONDS)
              .getInfo(InfoRequest.getDefaultInstance());
      return new Answer(Optional.of(info), "");
    } catch (StatusRuntimeException e) {
      return new Answer(Optional.empty(), "GetInfo: " + e.getStatus());
    } finally {
      channel.shutdownNow();
    }
  }

  /**
   * Tells the plugin whether it is registered.
   *
   * @param problem why it is not; empty when it is
   * @return why the plugin did not hear or agree
   */
  Optional<String> tell(Path socket, Optional<String> problem) {
    RegistrationStatus status =
        RegistrationStatus.newBuilder()
            .setPluginRegistered(problem.isEmpty())
            .setError(problem.orElse(""))
            .build();
    ManagedChannel channel = channels.open(socket);
    try {
      RegistrationGrpc.newBlockingStub(channel)
          .withDeadlineAfter(NOTIFY_SECONDS, TimeUnit.SECONDS)
          .notifyRegistrationStatus(status);
      return Optional.empty();
    } catch (StatusRuntimeException e) {
      return Optional.of("NotifyRegistrationStatus: " + e.getStatus());
    } finally {
      channel.shutdownNow();
    }
  }
}
