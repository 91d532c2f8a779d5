package io.gpudra.controller.webhook;

import com.google.common.base.Strings;
import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.gpudra.controller.webhook.ReviewRequest.UserInfo;
import io.gpudra.crds.api.problem.ProblemList;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Allows a plugin to write only the inventory of its own node. This is for API servers before 1.30,
 * whose admission policies do not know the node. The node is that of the token's pod. Other clients
 * are not validated; a plugin whose node is unknown is refused.
 */
public final class InventoryAdmission {
  private static final String EXTRA = "authentication.kubernetes.io/";

  private static final Pattern SERVICE_ACCOUNT =
      Pattern.compile("system:serviceaccount:([^:]{1,63}):([^:]{1,253})");

  /** The same pattern as in the policy of the manifests, with any prefix or suffix. */
  private static final String PLUGIN = "gpudra-kubeletplugin";

  /** Pattern of names that become part of a path. */
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?");

  /** The size of the cache, twice the nodes of a cluster. A pod with a node stays in it. */
  private static final int MAX_PODS = 10_000;

  /** The time for which a pod that was not found is not read again. */
  private static final Duration UNKNOWN = Duration.ofSeconds(10);

  private static final int MAX_UNKNOWN = 1000;

  private final NodesOfPods pods;
  private final Predicate<InetAddress> mayAsk;
  private final Cache<String, String> nodes =
      CacheBuilder.newBuilder().maximumSize(MAX_PODS).build();

  /**
   * Whole identities: otherwise a UID with another pod's name would exclude the pod that has it.
   */
  private final Cache<Pod, Boolean> unknown;

  private record Pod(String namespace, String name, String uid) {}

  public InventoryAdmission(NodesOfPods pods) {
    this(pods, new QuestionRates()::mayAsk, Ticker.systemTicker());
  }

  InventoryAdmission(NodesOfPods pods, Predicate<InetAddress> mayAsk, Ticker ticker) {
    this.pods = pods;
    this.mayAsk = mayAsk;
    this.unknown =
        CacheBuilder.newBuilder()
            .maximumSize(MAX_UNKNOWN)
            .expireAfterWrite(UNKNOWN)
            .ticker(ticker)
            .build();
  }

  AdmissionDecision decide(InetAddress client, ReviewRequest review) {
    UserInfo user = review.userInfo() == null ? new UserInfo(null, null) : review.userInfo();
    Matcher account = SERVICE_ACCOUNT.matcher(Strings.nullToEmpty(user.username()));
    if (!account.matches() || !account.group(2).contains(PLUGIN)) {
      return AdmissionDecision.allowed();
    }
    try {
      return decide(node(client, user, account.group(1)), review.objectName());
    } catch (IOException | RuntimeException e) {
      return new AdmissionDecision.Refused(
          AdmissionDecision.UNAVAILABLE,
          "the node of the plugin is not known yet: " + e.getMessage(),
          false);
    }
  }

  private static AdmissionDecision decide(String own, String written) {
    return !own.isEmpty() && own.equals(written)
        ? AdmissionDecision.allowed()
        : new AdmissionDecision.Refused(
            AdmissionDecision.FORBIDDEN,
            "the plugin of node \"%s\" may not write the inventory of node \"%s\""
                .formatted(own, ProblemList.shortened(written)),
            false);
  }

  /** The node; empty if the token names no pod. */
  private String node(InetAddress client, UserInfo user, String namespace) throws IOException {
    Optional<String> named = user.first(EXTRA + "node-name");
    Optional<String> pod = user.first(EXTRA + "pod-name").filter(InventoryAdmission::isName);
    Optional<String> uid = user.first(EXTRA + "pod-uid").filter(ReviewRequest::isUid);
    if (named.isPresent() || pod.isEmpty() || uid.isEmpty() || !isName(namespace)) {
      return named.orElse("");
    }
    return node(client, new Pod(namespace, pod.get(), uid.get()));
  }

  private String node(InetAddress client, Pod pod) throws IOException {
    String known = nodes.getIfPresent(pod.uid());
    if (known != null || unknown.getIfPresent(pod) != null) {
      return Strings.nullToEmpty(known);
    }
    if (!mayAsk.test(client)) {
      throw new IOException("too many reviews ask for the nodes of pods");
    }
    Optional<String> node = pods.nodeOf(pod.namespace(), pod.name(), pod.uid());
    node.ifPresentOrElse(name -> nodes.put(pod.uid(), name), () -> unknown.put(pod, true));
    return node.orElse("");
  }

  private static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }
}
