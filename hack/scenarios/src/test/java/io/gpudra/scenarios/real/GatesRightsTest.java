package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.gpudra.scenarios.cluster.Given;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a server lets the controller's account do to a pod: it removes the gate, and no more. */
@Tag("real")
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class GatesRightsTest {
  private static final String ACCOUNT = "system:serviceaccount:gpudra:gpudra-controller";
  private static final String OURS = "gpu.resource.example.com/granted";
  private static final String OTHER = "example.com/mine";

  /** Each of these is allowed to an administrator. */
  private static final String CHANGES =
      """
      metadata.labels|{"metadata":{"labels":{"a":"b"}}}
      metadata.annotations|{"metadata":{"annotations":{"a":"b"}}}
      metadata.finalizers|{"metadata":{"finalizers":["example.com/f"]}}
      metadata.ownerReferences|{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"a","uid":"u"}]}}
      spec.containers|{"spec":{"containers":[{"name":"ctr0","image":"other"}]}}
      spec.initContainers|{"spec":{"initContainers":[{"name":"init","image":"other"}]}}
      spec.tolerations|{"spec":{"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"operator":"Exists"}]}}
      spec.nodeSelector|{"spec":{"nodeSelector":{"a":"b"}}}
      spec.affinity|{"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Exists"}]}]}}}}}
      spec.activeDeadlineSeconds|{"spec":{"activeDeadlineSeconds":60}}
      its own scheduling gate only|{"spec":{"schedulingGates":[{"name":"example.com/mine","$patch":"delete"}]}}
      """;

  private static final String INIT =
      "initContainers: [{name: init, image: busybox, imagePullPolicy: IfNotPresent}]";

  @RegisterExtension final RealClusterUnderTest cluster = new RealClusterUnderTest();

  private String ns = "";

  @BeforeEach
  void aPodWithTwoGates() throws Exception {
    assumeTrue(cluster.client().minorVersion() >= 30, "no such policy before Kubernetes 1.30");
    ns = cluster.namespace("gates-rights");
    cluster.create(
        Given.podWith(
            ns,
            "p",
            "schedulingGates: [{name: %s}, {name: %s}]%n  %s".formatted(OURS, OTHER, INIT)));
  }

  private static Stream<String[]> changes() {
    return CHANGES.lines().map(line -> line.split("\\|", 2));
  }

  @Test
  void itChangesNothingElseOfAPod() throws Exception {
    assertThat(removeGate().code()).isZero();
    for (String[] change : changes().toList()) {
      Commands.Answer administrator = patch(change[1], "--dry-run=server");
      assertThat(administrator.code()).as(administrator.text()).isZero();

      Commands.Answer controller = patch(change[1], "--as=" + ACCOUNT);
      assertThat(controller.code()).as(change[0]).isNotZero();
      assertThat(controller.text())
          .contains("gpudra-controller-only-gates", "the controller may", change[0]);
    }
  }

  @Test
  void itRemovesItsGate() throws Exception {
    Commands.Answer removed = removeGate();
    assertThat(removed.code()).as(removed.text()).isZero();
    assertThat(
            cluster.kubectl(
                "-n", ns, "get", "pod", "p", "-o", "jsonpath={.spec.schedulingGates[*].name}"))
        .isEqualTo(OTHER);
  }

  private Commands.Answer removeGate() throws Exception {
    return patch(
        "{\"spec\":{\"schedulingGates\":[{\"name\":\"%s\",\"$patch\":\"delete\"}]}}"
            .formatted(OURS),
        "--as=" + ACCOUNT);
  }

  private Commands.Answer patch(String patch, String option) throws Exception {
    return cluster.tryKubectl(
        "-n", ns, "patch", "pod", "p", "--type=strategic", "--patch=" + patch, option);
  }
}
