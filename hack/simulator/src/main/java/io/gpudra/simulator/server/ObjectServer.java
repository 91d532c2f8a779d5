package io.gpudra.simulator.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.simulator.api.Api;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Json;
import io.gpudra.simulator.api.Problems;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.api.Resource;
import io.gpudra.simulator.api.WatchEvent;
import io.gpudra.simulator.kinds.BuiltIns;
import io.gpudra.simulator.kinds.CustomKinds;
import io.gpudra.simulator.kinds.EventShapes;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.kinds.Kinds;
import io.gpudra.simulator.store.Store;
import io.gpudra.simulator.store.Store.Change;
import io.gpudra.simulator.store.Stored;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * An API server without the wire and without threads: writes by the rules of the kinds. What runs
 * after a write, garbage collection and the end of namespaces, is {@link #step()}.
 */
public final class ObjectServer implements Api {

  /**
   * What a write is aimed at.
   *
   * @param key namespace is empty for cluster-scoped kinds
   * @param status whether the status subresource is meant
   */
  public record Target(Kind kind, Store.Key key, boolean status) {

    /** 422. */
    ApiError invalid(Problems problems) {
      return Refusal.invalid(kind.checkedAs(), kind.kind(), key.name(), problems);
    }

    /** 409 for a resourceVersion that is no longer the newest. */
    ApiError stale() {
      return conflict(
          kind.resource().plural(),
          "the object has been modified; please apply your changes to the latest version and try"
              + " again");
    }

    /** 422 for a PUT that must say which version it replaces. */
    ApiError withoutRevision() {
      String shown = "Invalid value: 0x0: must be specified for an update";
      Problems problems =
          new Problems().add("metadata.resourceVersion", "FieldValueInvalid", shown);
      return Refusal.invalid(kind.resource(), kind.resource().plural(), key.name(), problems);
    }

    /** 409 for a PUT to another object of this name. */
    ApiError otherUid(String wanted, String live) {
      String text =
          "StorageError: invalid object, Code: 4, Key: /registry/%s/%s/%s, ResourceVersion: 0,"
              + " AdditionalErrorMsg: Precondition failed: UID in precondition: %s, UID in object"
              + " meta: %s";
      String plural = kind.resource().plural();
      return conflict(plural, text.formatted(plural, key.namespace(), key.name(), wanted, live));
    }

    ApiError notFound() {
      return Refusal.notFound(kind.resource(), key.name());
    }

    /** 409; {@code named} is the kind in the form that the text shows it. */
    ApiError conflict(String named, String why) {
      return Refusal.conflict(kind.resource(), named, key.name(), why);
    }
  }

  /**
   * What a write did.
   *
   * @param object as it is now; read only
   * @param created whether it was not there before
   * @param warnings texts for the caller, such as about unknown fields
   */
  public record Outcome(ObjectNode object, boolean created, List<String> warnings) {}

  /**
   * What a DELETE did.
   *
   * @param object as it is now or, when gone, as it was last; read only
   */
  public record Deleted(ObjectNode object, boolean gone) {}

  /**
   * A PATCH.
   *
   * @param force of an apply: take fields from other managers
   */
  public record PatchRequest(Type type, JsonNode body, boolean force) {

    /** How the body is meant. */
    public enum Type {
      JSON,
      MERGE,
      STRATEGIC,
      APPLY
    }
  }

  /**
   * Options of a write.
   *
   * @param manager field manager of the changed fields; empty for none
   * @param dryRun do not store the object
   * @param strict reject unknown fields instead of warning
   * @param owned the object already has its managed fields
   */
  public record WriteOptions(String manager, boolean dryRun, boolean strict, boolean owned) {
    /** In process: no owner, unknown fields are dropped. */
    public static final WriteOptions PLAIN = new WriteOptions("", false, false, false);
  }

  /**
   * How to delete.
   *
   * @param graceSeconds of pods; empty for the pod's own
   * @param propagation Foreground, Background or Orphan; empty for the standard
   * @param uid precondition; empty for none
   * @param revision precondition; empty for none
   */
  public record DeleteOptions(
      Optional<Integer> graceSeconds,
      String propagation,
      String uid,
      String revision,
      boolean dryRun) {

    /** Without preconditions. */
    public static DeleteOptions grace(Optional<Integer> seconds) {
      return new DeleteOptions(seconds, "", "", "", false);
    }
  }

  private static final int HISTORY = 100_000;

  private final Store store;
  private final Kinds kinds = new Kinds();
  private final Writer writer;
  private final Deleter deleter;
  private final Patcher patcher;
  private final GarbageCollector collector;
  private final NamespaceLifecycle namespaces;

  /** With the standard namespaces and a history of 100,000 changes per kind. */
  public ObjectServer(Clock clock, RandomGenerator random) {
    this(clock, random, HISTORY);
  }

  /**
   * With the standard namespaces.
   *
   * @param history changes per kind that a watch can resume over
   */
  public ObjectServer(Clock clock, RandomGenerator random, int history) {
    Identity identity = new Identity(clock, random);
    store = new Store(history);
    writer = new Writer(store, identity);
    deleter = new Deleter(store, identity);
    patcher = new Patcher(store, writer, identity);
    BuiltIns.kinds().forEach(kinds::serve);
    store.mirror(Resource.EVENTS, Resource.NEW_EVENTS, EventShapes::renamed);
    store.mirror(Resource.NEW_EVENTS, Resource.EVENTS, EventShapes::original);
    collector = new GarbageCollector(this);
    namespaces = new NamespaceLifecycle(this);
    store.listen(this::serveDefinition);
    store.listen(collector::observe);
    store.listen(namespaces::observe);
    for (String name : List.of("default", "kube-node-lease", "kube-public", "kube-system")) {
      ObjectNode namespace = Json.object();
      namespace.putObject("metadata").put("name", name);
      create(Resource.NAMESPACES, namespace);
    }
  }

  /**
   * Does one piece of work that follows from earlier writes.
   *
   * @return whether there was any
   */
  public boolean step() {
    return collector.step() || namespaces.step();
  }

  /** The kinds that are served now. */
  public Kinds kinds() {
    return kinds;
  }

  /** The store; to read and to follow changes. */
  public Store store() {
    return store;
  }

  @Override
  public ObjectNode create(Resource resource, ObjectNode object) {
    return create(target(resource, object), Json.copy(object), WriteOptions.PLAIN)
        .object()
        .deepCopy();
  }

  @Override
  public Optional<ObjectNode> get(Resource resource, String namespace, String name) {
    return store.get(resource, new Store.Key(namespace, name)).map(Stored::copy);
  }

  @Override
  public List<ObjectNode> list(Resource resource) {
    return store.list(resource, "").stream().map(Stored::copy).toList();
  }

  @Override
  public ObjectNode update(Resource resource, ObjectNode object) {
    return update(target(resource, object), Json.copy(object), WriteOptions.PLAIN)
        .object()
        .deepCopy();
  }

  @Override
  public ObjectNode updateStatus(Resource resource, ObjectNode object) {
    Target main = target(resource, object);
    Target status = new Target(main.kind(), main.key(), true);
    return update(status, Json.copy(object), WriteOptions.PLAIN).object().deepCopy();
  }

  @Override
  public void delete(
      Resource resource, String namespace, String name, Optional<Integer> graceSeconds) {
    Target target = new Target(kind(resource), new Store.Key(namespace, name), false);
    delete(target, DeleteOptions.grace(graceSeconds));
  }

  @Override
  public void bind(String namespace, String pod, String node) {
    new Binding(writer, kind(Resource.PODS)).bind(new Store.Key(namespace, pod), node);
  }

  @Override
  public AutoCloseable watch(Resource resource, Consumer<WatchEvent> listener) {
    Runnable stop = store.listen(of(resource, listener));
    return stop::run;
  }

  @Override
  public AutoCloseable follow(Resource resource, Consumer<WatchEvent> listener) {
    Runnable stop = store.follow(resource, of(resource, listener));
    return stop::run;
  }

  private static Consumer<Change> of(Resource resource, Consumer<WatchEvent> listener) {
    return change -> {
      if (change.resource().equals(resource)) {
        listener.accept(new WatchEvent(change.type(), resource, change.now().object()));
      }
    };
  }

  @Override
  public long revision() {
    return store.revision();
  }

  /** POST; the body becomes the server's. */
  public Outcome create(Target target, ObjectNode body, WriteOptions options) {
    return writer.create(target, body, options);
  }

  /** PUT; the body becomes the server's. */
  public Outcome update(Target target, ObjectNode body, WriteOptions options) {
    return writer.put(target, body, options);
  }

  /** PATCH. */
  public Outcome patch(Target target, PatchRequest patch, WriteOptions options) {
    return patcher.patch(target, patch, options);
  }

  /** DELETE. */
  public Deleted delete(Target target, DeleteOptions options) {
    return deleter.delete(target, options);
  }

  /** POST of {@code pods/eviction}. */
  public void evict(Store.Key pod, DeleteOptions options) {
    new Eviction(this, writer.identity()).evict(kind(Resource.PODS), pod, options);
  }

  /** Ends a namespace that is empty. */
  void finalizeNamespace(Store.Key key) {
    store.get(Resource.NAMESPACES, key).ifPresent(last -> store.remove(Resource.NAMESPACES, last));
  }

  private Target target(Resource resource, ObjectNode object) {
    return new Target(kind(resource), Store.Key.of(object), false);
  }

  private Kind kind(Resource resource) {
    return kinds.find(resource).orElseThrow(Refusal::unknownPath);
  }

  /** A definition changes what is served at once, and takes its objects with it when it goes. */
  private void serveDefinition(Change change) {
    if (!change.resource().equals(Resource.CRDS)) {
      return;
    }
    CustomKinds.of(change.now().object())
        .ifPresent(
            kind -> {
              if (change.type().equals("DELETED")) {
                store.list(kind.resource(), "").forEach(o -> store.remove(kind.resource(), o));
                kinds.drop(kind.resource());
              } else {
                if (kinds.find(kind.resource()).isEmpty()) {
                  store.open(kind.resource());
                }
                kinds.serve(kind);
              }
            });
  }
}
