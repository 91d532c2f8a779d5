package io.gpudra.controller.kube.mapping;

import static java.util.Objects.requireNonNullElse;

import com.google.common.base.Ascii;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** ObjectMeta without nulls. */
public final class ObjectMetadata {
  /** The maximum length of namespaces, names and groups, which are DNS names. */
  private static final int MAX_NAME = 253;

  private ObjectMetadata() {}

  /**
   * A name or UID of another object, which the API server does not validate. Truncated if it is too
   * long to exist, so that it still matches no object but cannot fill the memory.
   */
  public static String nameOrSo(@Nullable String text) {
    return Ascii.truncate(requireNonNullElse(text, ""), MAX_NAME + 1, "…");
  }

  /** The namespace; empty if there is none. */
  public static String namespace(V1ObjectMeta metadata) {
    return requireNonNullElse(metadata.getNamespace(), "");
  }

  /** The name; empty if there is none. */
  public static String name(V1ObjectMeta metadata) {
    return requireNonNullElse(metadata.getName(), "");
  }

  /** The UID; empty if there is none. */
  public static String uid(V1ObjectMeta metadata) {
    return requireNonNullElse(metadata.getUid(), "");
  }

  /** The resourceVersion; empty if there is none. */
  public static String resourceVersion(V1ObjectMeta metadata) {
    return requireNonNullElse(metadata.getResourceVersion(), "");
  }

  static Instant created(V1ObjectMeta metadata) {
    return Optional.ofNullable(metadata.getCreationTimestamp())
        .map(time -> time.toInstant())
        .orElse(Instant.EPOCH);
  }

  static List<String> finalizers(V1ObjectMeta metadata) {
    return requireNonNullElse(metadata.getFinalizers(), List.<String>of());
  }

  /** UID of the controller owner reference. */
  static Optional<String> controllerUid(V1ObjectMeta metadata) {
    return controller(metadata).map(owner -> nameOrSo(owner.getUid()));
  }

  /** The controller owner reference. */
  static Optional<V1OwnerReference> controller(V1ObjectMeta metadata) {
    return requireNonNullElse(metadata.getOwnerReferences(), List.<V1OwnerReference>of()).stream()
        .filter(owner -> Boolean.TRUE.equals(owner.getController()))
        .findFirst();
  }
}
