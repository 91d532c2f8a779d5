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

/** Passes the deadline and the cancellation of a gRPC call on to the work of the call. */
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
   * Runs one of the two actions, on a thread of the call, when the call has ended.
   *
   * @return to be run when the whole answer was handed over: gRPC closes the call of a service that
   *     failed in between in the same way as an answered one
   */
  static Runnable onEnd(StreamObserver<?> answer, Runnable answered, Runnable abandoned) {
    AtomicBoolean given = new AtomicBoolean();
    ServerCallStreamObserver<?> call = (ServerCallStreamObserver<?>) answer;
    call.setOnCloseHandler(() -> (given.get() ? answered : abandoned).run());
    call.setOnCancelHandler(abandoned);
    return () -> given.set(true);
  }
}
