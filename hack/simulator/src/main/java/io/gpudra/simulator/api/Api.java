package io.gpudra.simulator.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * An API server without the wire. Objects handed out are the caller's own copies unless said
 * otherwise; every refusal is an {@link ApiError} with the code and Status of a real 1.30. Safe for
 * use by several threads.
 */
public interface Api {

  /** POST; the namespace and the resource of the body must agree with the call. */
  ObjectNode create(Resource resource, ObjectNode object);

  /** GET; {@code namespace} is empty for cluster-scoped resources. */
  Optional<ObjectNode> get(Resource resource, String namespace, String name);

  /** GET of the collection over all namespaces, ordered by namespace and name. */
  List<ObjectNode> list(Resource resource);

  /** PUT of the main resource, conditional when the body has a resourceVersion. */
  ObjectNode update(Resource resource, ObjectNode object);

  /** PUT of the status subresource, conditional when the body has a resourceVersion. */
  ObjectNode updateStatus(Resource resource, ObjectNode object);

  /**
   * DELETE.
   *
   * @param graceSeconds of pods; empty for the default, 0 to remove at once
   */
  void delete(Resource resource, String namespace, String name, Optional<Integer> graceSeconds);

  /** The kind's own subresource POST, here {@code pods/binding}. */
  void bind(String namespace, String pod, String node);

  /**
   * Calls the listener for each change from now on, in order, on the writing thread: it must return
   * at once.
   *
   * @return closes the watch
   */
  AutoCloseable watch(Resource resource, Consumer<WatchEvent> listener);

  /** As {@link #watch}, but first what exists is told as ADDED. */
  AutoCloseable follow(Resource resource, Consumer<WatchEvent> listener);

  /** The newest resourceVersion of the server. */
  long revision();
}
