package io.gpudra.bench.real;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.common.collect.ImmutableList;
import io.gpudra.controller.client.JsonCalls;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.client.JsonCalls.Form;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/** Writes objects as fast as scheduler_perf does. Every call fails unless answered 2xx. */
final class Api implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int WRITERS = 30;

  private final JsonCalls calls;
  private final ExecutorService writers = Executors.newFixedThreadPool(WRITERS);

  Api(JsonCalls calls) {
    this.calls = calls;
  }

  void create(String collection, Object object) throws IOException {
    send("POST", collection, Form.JSON, object);
  }

  void patch(String path, Object patch) throws IOException {
    send("PATCH", path, Form.MERGE_PATCH, patch);
  }

  private void send(String method, String path, Form form, Object body) throws IOException {
    Answer answer = calls.send(method, path, form, JSON.writeValueAsString(body));
    if (!answer.ok()) {
      throw new IOException("%s %s: %d %s".formatted(method, path, answer.code(), answer.body()));
    }
  }

  /** Does one thing for each name, on many threads. */
  void forEach(ImmutableList<String> names, Step step) throws IOException, InterruptedException {
    Function<String, Future<?>> submitted =
        name ->
            writers.submit(
                () -> {
                  step.accept(name);
                  return null;
                });
    ImmutableList<Future<?>> results =
        names.stream().map(submitted).collect(ImmutableList.toImmutableList());
    for (Future<?> result : results) {
      try {
        result.get();
      } catch (ExecutionException e) {
        throw new IOException("preparing the run", e.getCause());
      }
    }
  }

  @Override
  public void close() {
    writers.shutdownNow();
  }

  /** Something done for one name. */
  interface Step {
    void accept(String name) throws IOException, InterruptedException;
  }
}
