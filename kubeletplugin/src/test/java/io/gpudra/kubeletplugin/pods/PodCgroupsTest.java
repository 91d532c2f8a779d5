package io.gpudra.kubeletplugin.pods;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSet;
import io.gpudra.kubeletplugin.pods.NodePods.PodSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PodCgroupsTest {

  private static final String OWN = "aaaaaaaa-0000-4000-8000-000000000000";
  private static final String RUNS = "bbbbbbbb-0000-4000-8000-000000000000";
  private static final String BEGINS = "cccccccc-0000-4000-8000-000000000000";
  private static final String GUARANTEED = "dddddddd-0000-4000-8000-000000000000";
  private static final String STATIC = "0123456789abcdef0123456789abcdef";

  @TempDir Path root = Path.of("");

  private void make(String... directories) throws IOException {
    for (String directory : directories) {
      Files.createDirectories(root.resolve(directory));
    }
  }

  private void seesAll() {
    assertThat(new PodCgroups(root, OWN).list())
        .contains(
            new PodSet(
                ImmutableSet.of(RUNS, BEGINS, GUARANTEED, STATIC),
                ImmutableSet.of(RUNS, GUARANTEED, STATIC)));
  }

  private void makePlain(String below) throws IOException {
    make(
        below + "kubepods/besteffort/pod" + OWN + "/c1",
        below + "kubepods/besteffort/pod" + RUNS + "/c2",
        below + "kubepods/burstable/pod" + BEGINS,
        below + "kubepods/burstable/pod" + STATIC + "/c4",
        below + "kubepods/pod" + GUARANTEED + "/c3");
  }

  @Test
  void seesThePodsOfTheDriverCgroupfs() throws IOException {
    makePlain("");
    make("system.slice/kubelet.service", "user.slice");
    seesAll();
  }

  @Test
  void seesThoseOfVersionOneInEveryHierarchy() throws IOException {
    makePlain("memory/");
    makePlain("devices/");
    make("cpu/kubepods");
    seesAll();
  }

  @Test
  void seesThoseOfTheDriverSystemd() throws IOException {
    String all = "kubepods.slice/";
    make(
        all + slice("besteffort", OWN) + "/cri-containerd-1.scope",
        all + slice("besteffort", RUNS) + "/cri-containerd-2.scope",
        all + slice("burstable", BEGINS),
        all + slice("burstable", STATIC) + "/crio-4.scope",
        all + "kubepods-pod" + GUARANTEED.replace('-', '_') + ".slice/cri-containerd-3.scope");
    seesAll();
  }

  private static String slice(String qos, String pod) {
    return "kubepods-%s.slice/kubepods-%s-pod%s.slice".formatted(qos, qos, pod.replace('-', '_'));
  }

  @Test
  void seesThoseOfAKubeletWithARootOfItsOwn() throws IOException {
    make(
        "kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/"
            + "kubelet-kubepods-besteffort-pod"
            + OWN.replace('-', '_')
            + ".slice",
        "kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod"
            + RUNS.replace('-', '_')
            + ".slice/cri-containerd-2.scope");

    assertThat(new PodCgroups(root, OWN).list())
        .contains(new PodSet(ImmutableSet.of(RUNS), ImmutableSet.of(RUNS)));
  }

  @Test
  void thePodsOfAnotherKubeletAreNotItsOwn() throws IOException {
    makePlain("node-1/");
    make("node-2/kubepods/pod11111111-0000-4000-8000-000000000000/c9");
    seesAll();
  }

  @Test
  void whereThePluginItselfIsNotSeenNothingIsKnown() throws IOException {
    makePlain("");

    assertThat(new PodCgroups(root, "another").list()).isEmpty();
    assertThat(new PodCgroups(root.resolve("absent"), OWN).list()).isEmpty();
  }

  @Test
  void aTreeThatIsTooLargeIsNotKnown() throws IOException {
    makePlain("");
    assertThat(new PodCgroups(root, OWN, 10).list()).isEmpty();
  }
}
