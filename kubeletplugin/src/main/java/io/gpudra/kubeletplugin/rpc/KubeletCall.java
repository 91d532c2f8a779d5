package io.gpudra.kubeletplugin.rpc;

import com.google.common.util.concurrent.MoreExecutors;
import io.gpudra.kubeletplugin.prepare.call.PrepareCall;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Lets deadline and cancellation of a gRPC call reach the work that is done for it. */
final class KubeletCall {

  private KubeletCall() {}

  /** The call that the current thread serves. */
  static PrepareCall current() {
    Context context = Context.current();
    Deadline deadline = context.getDeadline();
    PrepareCall call =
        deadline == null
            ? PrepareCall.withoutDeadline()
            : PrepareCall.endingIn(Duration.ofNanos(deadline.timeRemaining(TimeUnit.NANOSECONDS)));
    context.addListener(cancelled -> call.cancel(), MoreExecutors.directExecutor());
    return call;
  }

  /**
   * One of the two runs, on a thread of the call, when the call is over.
   *
   * @return to be run when the whole answer was handed over: gRPC closes the call of a service that
   *     failed in between just as it closes one that was answered
   */
  static Runnable onEnd(StreamObserver<?> answer, Runnable answered, Runnable abandoned) {
    AtomicBoolean given = new AtomicBoolean();
    ServerCallStreamObserver<?> call = (ServerCallStreamObserver<?>) answer;
    call.setOnCloseHandler(() -> (given.get() ? answered : abandoned).run());
    call.setOnCancelHandler(abandoned);
    return () -> given.set(true);
  }
}
