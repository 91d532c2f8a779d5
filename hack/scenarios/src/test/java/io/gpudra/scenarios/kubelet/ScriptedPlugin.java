package io.gpudra.scenarios.kubelet;

import com.google.common.collect.ImmutableMap;
import io.gpudra.simulator.proto.dra.v1alpha3.Claim;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** Answers as a test says, and remembers what it was asked. */
final class ScriptedPlugin {
  /** What came in; a claim reads {@code name=handle}. */
  record Call(Instant at, String method, List<Claim> claims) {
    @Override
    public String toString() {
      List<String> names =
          claims.stream().map(c -> c.getName() + "=" + c.getResourceHandle()).sorted().toList();
      return method + " " + String.join(" ", names);
    }
  }

  /** What is said of one claim; of an unprepared one only the error. */
  record Answer(List<String> devices, String error) {
    static final Answer NOTHING = new Answer(List.of(), "");

    static Answer failed(String error) {
      return new Answer(List.of(), error);
    }
  }

  /** The answers by the claims' UIDs, or a gRPC status. */
  interface Script {
    Map<String, Answer> answers(List<Claim> claims) throws Exception;

    static Script each(Answer answer) {
      return claims ->
          claims.stream().collect(ImmutableMap.toImmutableMap(Claim::getUid, claim -> answer));
    }
  }

  static final Script SUCCESS = Script.each(Answer.NOTHING);

  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private volatile Script onPrepare;
  private volatile Script onUnprepare = SUCCESS;

  ScriptedPlugin(Script onPrepare) {
    this.onPrepare = onPrepare;
  }

  void onPrepare(Script script) {
    onPrepare = script;
  }

  void onUnprepare(Script script) {
    onUnprepare = script;
  }

  List<Call> calls() {
    return List.copyOf(calls);
  }

  /** What it was asked, in words. */
  List<String> asked() {
    return calls.stream().map(Call::toString).toList();
  }

  Map<String, Answer> prepare(List<Claim> claims) {
    return answer("prepare", claims, onPrepare);
  }

  Map<String, Answer> unprepare(List<Claim> claims) {
    return answer("unprepare", claims, onUnprepare);
  }

  private Map<String, Answer> answer(String method, List<Claim> claims, Script script) {
    calls.add(new Call(Instant.now(), method, claims));
    try {
      return script.answers(claims);
    } catch (StatusRuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  static <T> void reply(StreamObserver<T> observer, Supplier<T> answer) {
    T message;
    try {
      message = answer.get();
    } catch (StatusRuntimeException e) {
      observer.onError(e);
      return;
    }
    observer.onNext(message);
    observer.onCompleted();
  }
}
