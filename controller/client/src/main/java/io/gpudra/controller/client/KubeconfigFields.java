package io.gpudra.controller.client;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether client-java supports a kubeconfig. It silently drops unknown fields, some of which
 * decide on the server, the user or the security of the connection. The fields are those of {@code
 * k8s.io/client-go/tools/clientcmd/api/v1}.
 */
final class KubeconfigFields {

  /** Fields without effect on calls. */
  private static final ImmutableSet<String> HARMLESS =
      ImmutableSet.of("extensions", "disable-compression");

  private static final ImmutableSet<String> OF_CLUSTER =
      ImmutableSet.of(
          "server",
          "certificate-authority",
          "certificate-authority-data",
          "insecure-skip-tls-verify");
  private static final ImmutableSet<String> OF_USER =
      ImmutableSet.of(
          "client-certificate",
          "client-certificate-data",
          "client-key",
          "client-key-data",
          "token",
          "tokenFile",
          "username",
          "password",
          "auth-provider",
          "exec");
  private static final ImmutableSet<String> OF_EXEC =
      ImmutableSet.of("apiVersion", "command", "args", "env", "installHint", "interactiveMode");

  private KubeconfigFields() {}

  /**
   * Rejects unknown fields in the cluster and the user of the current context.
   *
   * @throws IOException naming the cluster or user and the field
   */
  static void requireKnown(KubeConfig config) throws IOException {
    Map<?, ?> context = content(config.getContexts(), config.getCurrentContext(), "context");
    Object cluster = context.get("cluster");
    requireKnown("cluster", cluster, content(config.getClusters(), cluster, "cluster"), OF_CLUSTER);
    Object name = context.get("user");
    Map<?, ?> user = content(config.getUsers(), name, "user");
    requireKnown("user", name, user, OF_USER);
    if (user.get("exec") instanceof Map<?, ?> exec) {
      requireKnown("exec of user", name, exec, OF_EXEC);
    }
  }

  private static Map<?, ?> content(List<?> entries, @Nullable Object name, String what) {
    for (Object entry : entries) {
      if (entry instanceof Map<?, ?> named
          && Objects.equals(named.get("name"), name)
          && named.get(what) instanceof Map<?, ?> content) {
        return content;
      }
    }
    return Map.of();
  }

  private static void requireKnown(
      String what, @Nullable Object name, Map<?, ?> content, Set<String> known) throws IOException {
    Set<String> dropped = new TreeSet<>();
    content.forEach(
        (field, value) -> {
          if (isSet(value)) {
            dropped.add(String.valueOf(field));
          }
        });
    dropped.removeAll(Sets.union(known, HARMLESS));
    if (!dropped.isEmpty()) {
      throw new IOException(
          "kubeconfig: %s \"%s\" has %s, which is not supported; supported are %s"
              .formatted(
                  what,
                  Objects.toString(name, ""),
                  String.join(", ", dropped),
                  String.join(", ", known)));
    }
  }

  /** Whether the value differs from that of an absent field. */
  private static boolean isSet(@Nullable Object value) {
    return value != null
        && !value.equals("")
        && !value.equals(false)
        && !value.equals(List.of())
        && !value.equals(Map.of());
  }
}
