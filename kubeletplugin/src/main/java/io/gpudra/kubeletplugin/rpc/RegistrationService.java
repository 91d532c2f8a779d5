package io.gpudra.kubeletplugin.rpc;

import io.gpudra.kubeletplugin.proto.registration.InfoRequest;
import io.gpudra.kubeletplugin.proto.registration.PluginInfo;
import io.gpudra.kubeletplugin.proto.registration.RegistrationGrpc;
import io.gpudra.kubeletplugin.proto.registration.RegistrationStatus;
import io.gpudra.kubeletplugin.proto.registration.RegistrationStatusResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Identifies the plugin to the kubelet, and keeps the kubelet's answer (protocol.md 4.3). */
final class RegistrationService extends RegistrationGrpc.RegistrationImplBase {

  private static final Logger log = LoggerFactory.getLogger(RegistrationService.class);

  private final PluginInfo info;
  private final Consumer<KubeletRegistration> listener;

  RegistrationService(SocketPaths paths, Consumer<KubeletRegistration> listener) {
    this.listener = listener;
    this.info =
        PluginInfo.newBuilder()
            .setType("DRAPlugin")
            .setName(paths.driverName())
            .setEndpoint(paths.dra().toString())
            // Kubelets up to 1.31 parse dotted numbers here and accept no name of a service.
            .addSupportedVersions("1.0.0")
            .build();
  }

  @Override
  public void getInfo(InfoRequest request, StreamObserver<PluginInfo> answer) {
    answer.onNext(info);
    answer.onCompleted();
  }

  @Override
  public void notifyRegistrationStatus(
      RegistrationStatus status, StreamObserver<RegistrationStatusResponse> answer) {
    if (status.getPluginRegistered()) {
      log.info("kubelet registered the plugin");
      listener.accept(new KubeletRegistration(KubeletRegistration.State.REGISTERED, ""));
      answer.onNext(RegistrationStatusResponse.getDefaultInstance());
      answer.onCompleted();
      return;
    }
    log.error("kubelet refused the plugin error=\"{}\"", status.getError());
    listener.accept(new KubeletRegistration(KubeletRegistration.State.REFUSED, status.getError()));
    answer.onError(
        Status.FAILED_PRECONDITION
            .withDescription("registration refused by the kubelet: " + status.getError())
            .asRuntimeException());
  }
}
