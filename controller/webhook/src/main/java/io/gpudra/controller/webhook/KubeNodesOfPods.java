package io.gpudra.controller.webhook;

import io.gpudra.controller.client.JsonCalls;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.client.watch.FieldFilter;
import io.gpudra.controller.client.watch.PartialResponse;
import java.io.IOException;
import java.io.StringReader;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads a pod from the API server for each call. */
public final class KubeNodesOfPods implements NodesOfPods {
  private static final int NOT_FOUND = 404;
  private static final FieldFilter FIELDS = FieldFilter.of("spec.nodeName");

  private final JsonCalls calls;

  public KubeNodesOfPods(JsonCalls calls) {
    this.calls = calls;
  }

  private record Pod(@Nullable Metadata metadata, @Nullable Spec spec) {

    boolean has(String uid) {
      return metadata != null && uid.equals(metadata.uid());
    }
  }

  private record Metadata(@Nullable String uid) {}

  private record Spec(@Nullable String nodeName) {}

  @Override
  public Optional<String> nodeOf(String namespace, String pod, String uid) throws IOException {
    Answer answer = calls.get("/api/v1/namespaces/%s/pods/%s".formatted(namespace, pod));
    if (answer.code() == NOT_FOUND) {
      return Optional.empty();
    }
    if (!answer.ok()) {
      throw new IOException("pod %s/%s answered %d".formatted(namespace, pod, answer.code()));
    }
    Pod found = PartialResponse.read(new StringReader(answer.body()), FIELDS, Pod.class);
    return found.has(uid) && found.spec() != null
        ? Optional.ofNullable(found.spec().nodeName())
        : Optional.empty();
  }
}
