package io.gpudra.controller.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Streams;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.doctor.InstallationState.ApiServer;
import io.gpudra.controller.doctor.InstallationState.Lease;
import io.gpudra.controller.doctor.InstallationState.Member;
import io.gpudra.controller.doctor.InstallationState.Node;
import io.gpudra.controller.doctor.RbacPermission.Right;
import io.gpudra.controller.kube.ServerSupport;
import io.gpudra.controller.view.UserView;
import io.gpudra.controller.view.dryrun.QueryDeadline;
import io.gpudra.crds.text.UtcTimes;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Collects the state that {@code Doctor} evaluates. */
public final class InstallationCollector {
  static final String LEASES = "the leader's lease";
  private static final String STANDARD_NAMESPACE = "gpudra";
  private static final String POLICIES = "/apis/admissionregistration.k8s.io/v1/";
  private static final String GATES_POLICY = "controller-only-gates";
  private static final String REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

  private final HttpClients http;
  private final String driverName;
  private final UserView userView;
  private final InstallationReader reader;

  private InstallationCollector(HttpClients http, String driverName, UserView userView) {
    this.http = http;
    this.driverName = driverName;
    this.userView = userView;
    this.reader = new InstallationReader(http.calls());
  }

  /**
   * The problems, and checks that were not possible.
   *
   * @param diagnoses causes before their effects
   * @param unseen a sentence for each check that was not possible
   */
  public record Result(ImmutableList<Diagnosis> diagnoses, ImmutableList<String> unseen) {

    private Result and(Result next) {
      return new Result(both(diagnoses, next.diagnoses), both(unseen, next.unseen));
    }

    private static <T> ImmutableList<T> both(ImmutableList<T> one, ImmutableList<T> other) {
      return ImmutableList.<T>builder().addAll(one).addAll(other).build();
    }
  }

  /**
   * Collects and evaluates the state.
   *
   * @throws IOException when the server cannot be reached
   */
  public static Result of(HttpClients http, String driverName, UserView userView)
      throws IOException {
    InstallationState installationState =
        new InstallationCollector(http, driverName, userView).patient();
    return new Result(Doctor.of(installationState), installationState.unseen())
        .and(new WaitingClaimChecks(userView, QueryDeadline.ofAPerson()).result());
  }

  private InstallationState patient() throws IOException {
    DriverPods pods = new DriverPods(reader);
    ImmutableList<Member> controllers = pods.named("gpudra-controller");
    ImmutableList<Member> plugins = pods.named("gpudra-kubeletplugin");
    String namespace =
        controllers.stream().map(Member::namespace).findFirst().orElse(STANDARD_NAMESPACE);
    ImmutableMap<String, Node> nodes = nodes();
    return new InstallationState(
        driverName,
        server(),
        new FeatureGates(reader, new FeatureGateEvidence(userView)).of(nodes.keySet()),
        new SchedulerVersions(reader).seen(),
        controllers,
        plugins,
        lease(namespace),
        nodes,
        new DevicePlugin(reader).leftovers(Maps.filterValues(nodes, Node::abandoned).keySet()),
        new CrdChecks(reader).outdated(),
        forbidden(controllers, plugins),
        hasGatesPolicy(controllers),
        userView,
        reader.unseen());
  }

  private ApiServer server() throws IOException {
    ServerSupport support = ServerSupport.of(http);
    JsonNode kinds = reader.get("resource.k8s.io", "/apis/resource.k8s.io/v1alpha2");
    return new ApiServer(
        support.minor(),
        support.resourceVersions(),
        Streams.stream(kinds.path("resources"))
            .map(kind -> kind.path("name").asText())
            .collect(ImmutableSet.toImmutableSet()));
  }

  private Optional<Lease> lease(String namespace) throws IOException {
    String path =
        "/apis/coordination.k8s.io/v1/namespaces/%s/leases/%s".formatted(namespace, driverName);
    JsonNode lease = reader.get(LEASES, path);
    return lease.isMissingNode()
        ? Optional.empty()
        : Optional.of(
            new Lease(
                lease.at("/spec/holderIdentity").asText(),
                Duration.between(renewed(lease), userView.now()),
                Duration.ofSeconds(lease.at("/spec/leaseDurationSeconds").asLong())));
  }

  private static Instant renewed(JsonNode lease) {
    return UtcTimes.withAnyOffset(lease.at("/spec/renewTime").asText()).orElse(Instant.EPOCH);
  }

  private ImmutableMap<String, Node> nodes() throws IOException {
    ImmutableMap.Builder<String, Node> nodes = ImmutableMap.builder();
    reader.list(
        "nodes",
        "/api/v1/nodes",
        node -> nodes.put(node.at("/metadata/name").asText(), node(node)));
    return nodes.buildOrThrow();
  }

  private static Node node(JsonNode node) {
    return new Node(
        node.at("/status/nodeInfo/containerRuntimeVersion").asText(),
        DevicePlugin.offered(node),
        Streams.stream(node.at("/metadata/labels").fieldNames())
            .filter(label -> label.contains("pci-10de") || label.startsWith("nvidia.com/gpu"))
            .sorted()
            .collect(ImmutableList.toImmutableList()));
  }

  private ImmutableListMultimap<String, String> forbidden(
      List<Member> controllers, List<Member> plugins) throws IOException {
    ImmutableListMultimap.Builder<String, String> all = ImmutableListMultimap.builder();
    forbidden(controllers, RbacPermission.CONTROLLER, all);
    forbidden(controllers.stream().filter(Member::gates).toList(), RbacPermission.GATES, all);
    forbidden(plugins, RbacPermission.PLUGIN, all);
    return all.build();
  }

  /** Whether a policy of ours is bound; its name may have the prefix of a release. */
  private boolean hasGatesPolicy(List<Member> controllers) throws IOException {
    if (controllers.stream().noneMatch(Member::gates)) {
      return false;
    }
    Set<String> bound = new HashSet<>();
    reader.list(
        GateChecks.POLICIES,
        POLICIES + "validatingadmissionpolicybindings",
        binding -> bound.add(binding.at("/spec/policyName").asText()));
    Set<String> policies = new HashSet<>();
    reader.list(
        GateChecks.POLICIES,
        POLICIES + "validatingadmissionpolicies",
        policy -> policies.add(policy.at("/metadata/name").asText()));
    return policies.stream().anyMatch(name -> name.contains(GATES_POLICY) && bound.contains(name));
  }

  private void forbidden(
      List<Member> members,
      RbacPermission rbacPermission,
      ImmutableListMultimap.Builder<String, String> all)
      throws IOException {
    for (String account : members.stream().map(Member::account).distinct().toList()) {
      for (Right right : rbacPermission.all()) {
        JsonNode answer = reader.ask("rights of " + account, REVIEWS, review(account, right));
        if (answer.at("/status/allowed").isBoolean() && !answer.at("/status/allowed").asBoolean()) {
          all.put(account, right.text());
        }
      }
    }
  }

  private static ObjectNode review(String account, Right right) {
    ObjectNode review = InstallationReader.JSON.createObjectNode();
    review.put("apiVersion", "authorization.k8s.io/v1").put("kind", "SubjectAccessReview");
    int slash = right.resource().indexOf('/');
    ObjectNode attributes =
        review
            .putObject("spec")
            .put("user", "system:serviceaccount:" + account.replace('/', ':'))
            .putObject("resourceAttributes");
    attributes.put("group", right.group()).put("verb", right.verb());
    attributes.put("resource", slash < 0 ? right.resource() : right.resource().substring(0, slash));
    if (slash >= 0) {
      attributes.put("subresource", right.resource().substring(slash + 1));
    }
    return review;
  }
}
