package io.gpudra.kubeletplugin.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import com.google.common.collect.ImmutableList;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimUid;
import io.gpudra.kubeletplugin.prepare.ClaimPreparer;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.gpudra.kubeletplugin.prepare.call.PrepareOutcome;
import io.gpudra.kubeletplugin.prepare.call.PrepareRefusal;
import io.gpudra.kubeletplugin.proto.dra.v1alpha3.NodePrepareResourcesResponse;
import io.gpudra.kubeletplugin.testing.FakeNode;
import io.gpudra.kubeletplugin.testing.Faults;
import io.grpc.stub.ServerCallStreamObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The call ends between the last step of a prepare and the delivery of its answer: too short a
 * moment to be hit over a socket, and no later call would ever give the devices back.
 */
class UndeliveredAnswerTest {

  @TempDir Path directory = Path.of("");

  private void prepareWithBothServices(
      FakeNode node, ClaimPreparer preparer, Answer<?> first, Answer<?> second) {
    ClaimCalls calls = new ClaimCalls(preparer, new MetricRegistry());
    new DraV1Alpha3(calls)
        .nodePrepareResources(
            Kubelet.prepare(Kubelet.claim(node.grant("u1", 0))), first.narrowed());
    new DraV1Alpha2(calls)
        .nodePrepareResource(Kubelet.prepareV1Alpha2(node.grant("u2", 1)), second.narrowed());
    assertThat(preparer.held()).hasSize(2);
  }

  @Test
  void line29GivesBackWhatWasPreparedWhenTheAnswerCannotBeDelivered() throws Exception {
    FakeNode node = new FakeNode(directory);
    ClaimPreparer preparer = node.start();
    Answer<?> first = new Answer<>();
    Answer<?> second = new Answer<>();
    prepareWithBothServices(node, preparer, first, second);

    first.onCancel.run();
    second.onCancel.run();

    assertThat(preparer.held()).isEmpty();
    assertThat(node.ready()).isEmpty();
    assertThat(node.specs()).isEmpty();
  }

  @Test
  void line29GivesBackWhatIsReadyTooLateForItsAnswerToArrive() throws Exception {
    FakeNode node = new FakeNode(directory);
    ClaimPreparer preparer = node.start();
    ClaimUid uid = new ClaimUid("u1");
    WireClaim claim =
        new WireClaim(
            uid,
            FakeNode.ref("u1"),
            HandleCodec.encode(node.grant("u1", 0)),
            /* structured= */ false);

    Map<ClaimUid, PrepareOutcome> outcomes =
        new ClaimCalls(preparer, new MetricRegistry())
            .prepareAll(ImmutableList.of(claim), PrepareCall.endingIn(Duration.ofMillis(400)));

    assertThat(outcomes)
        .containsExactly(
            Map.entry(
                uid,
                new PrepareOutcome.Refused(
                    new PrepareRefusal(
                        PrepareRefusal.Kind.BUSY,
                        "given back, since the answer would come too late"))));
    assertThat(preparer.held()).isEmpty();
    assertThat(node.specs()).isEmpty();
  }

  @Test
  void keepsWhatWasPreparedWhenTheAnswerWasDelivered() {
    FakeNode node = new FakeNode(directory);
    ClaimPreparer preparer = node.start();
    Answer<?> first = new Answer<>();
    Answer<?> second = new Answer<>();
    prepareWithBothServices(node, preparer, first, second);

    first.onClose.run();
    second.onClose.run();
    first.onCancel.run();
    second.onCancel.run();

    assertThat(preparer.held()).hasSize(2);
  }

  @Test
  void aServiceThatFailsBeforeItsAnswerHasNotAnswered() throws Exception {
    FakeNode node = new FakeNode(directory);
    ClaimPreparer preparer = node.start();
    ClaimCalls calls = new ClaimCalls(preparer, new MetricRegistry());
    Answer<NodePrepareResourcesResponse> answer = new Answer<>();
    answer.failure = Optional.of(new IllegalStateException("no message fits"));

    assertThatThrownBy(
            () ->
                new DraV1Alpha3(calls)
                    .nodePrepareResources(
                        Kubelet.prepare(Kubelet.claim(node.grant("u1", 0))), answer))
        .hasMessage("no message fits");
    answer.onClose.run();

    assertThat(preparer.held()).isEmpty();
    assertThat(node.specs()).isEmpty();
  }

  @Test
  void aDefectInOneClaimIsItsErrorAndNobodyKeepsDevices() throws Exception {
    FakeNode node = new FakeNode(directory);
    Faults faults = new Faults();
    ClaimPreparer preparer = node.start(faults, FakeNode.PATIENT);
    faults.on(
        "gpus",
        () -> {
          if (!node.specs().isEmpty()) {
            throw new IllegalStateException("a defect behind the first claim");
          }
        });
    Answer<NodePrepareResourcesResponse> answer = new Answer<>();

    new DraV1Alpha3(new ClaimCalls(preparer, new MetricRegistry()))
        .nodePrepareResources(
            Kubelet.prepare(Kubelet.claim(node.grant("u1", 0)), Kubelet.claim(node.grant("u2", 1))),
            answer);
    answer.onClose.run();

    assertThat(Kubelet.entry(answer.given().getClaimsMap(), "u2").getError())
        .contains("a defect behind");
    assertThat(Kubelet.entry(answer.given().getClaimsMap(), "u1").getError())
        .contains("given back");
    assertThat(preparer.held()).isEmpty();
    assertThat(node.ready()).isEmpty();
  }

  /** Takes an answer and tells the end of its call when the test wants. */
  private static final class Answer<T> extends ServerCallStreamObserver<T> {
    private Runnable onCancel = () -> {};
    private Runnable onClose = () -> {};
    private Optional<RuntimeException> failure = Optional.empty();
    private Optional<T> given = Optional.empty();

    T given() {
      return given.orElseThrow();
    }

    @SuppressWarnings("unchecked") // whatever it is given it throws away
    <S> ServerCallStreamObserver<S> narrowed() {
      return (ServerCallStreamObserver<S>) this;
    }

    @Override
    public void setOnCancelHandler(Runnable handler) {
      onCancel = handler;
    }

    @Override
    public void setOnCloseHandler(Runnable handler) {
      onClose = handler;
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void onNext(T answer) {
      failure.ifPresent(
          cause -> {
            throw cause;
          });
      given = Optional.of(answer);
    }

    @Override
    public void onError(Throwable failure) {
      throw new AssertionError("refused", failure);
    }

    @Override
    public void onCompleted() {}

    @Override
    public void setCompression(String compression) {}

    @Override
    public void setOnReadyHandler(Runnable handler) {}

    @Override
    public void request(int count) {}

    @Override
    public void setMessageCompression(boolean enable) {}

    @Override
    public void disableAutoInboundFlowControl() {}
  }
}
