package io.gpudra.kubeletplugin.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.crds.handle.HandleCodec;
import io.gpudra.crds.model.ClaimRef;
import io.gpudra.crds.model.Grant;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Entry;
import io.gpudra.kubeletplugin.checkpoint.Checkpoint.Phase;
import io.gpudra.kubeletplugin.checkpoint.CheckpointFile;
import io.gpudra.kubeletplugin.testing.FakeApi;
import io.gpudra.kubeletplugin.testing.FakeNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was prepared before a boot is put back, or was the old kubelet's. */
class ProcessAfterBootTest {

  @TempDir Path directory = Path.of("");

  private static final String CLAIM =
      "/apis/resource.k8s.io/v1alpha2/namespaces/team-a/resourceclaims/gpu";

  /**
   * A kubelet of this version, and a claim that was prepared before the boot and is still in use.
   */
  private PluginOptions bootedWith(FakeApi api, String version) throws IOException {
    PluginOptions options = new ProcessSetup(directory).options(api);
    Grant grant = ProcessSetup.grant();
    Files.createDirectories(options.stateDirOrDefault());
    new CheckpointFile(options.stateDirOrDefault().resolve("checkpoint.json"))
        .save(
            new Checkpoint(
                "boot-0",
                ImmutableMap.of(
                    grant.claim(),
                    new Entry(
                        Phase.PREPARED,
                        new ClaimRef("team-a", "gpu"),
                        grant,
                        ImmutableMap.of(),
                        Optional.empty())),
                ImmutableList.of()));
    api.put(
        "/api/v1/nodes/" + FakeNode.NAME,
        "node-uid-1",
        "{\"nodeInfo\":{\"kubeletVersion\":\"%s\"}}".formatted(version));
    String handle = HandleCodec.encode(grant).replace("\"", "\\\"");
    api.put(
        CLAIM,
        "u1",
        """
        {"driverName":"%s","allocation":{"resourceHandles":[{"data":"%s"}]},"reservedFor":[{"uid":"p"}]}
        """
            .formatted(FakeNode.DRIVER, handle));
    return options;
  }

  private static String prepared(FakeApi api) {
    return api.inventory().path("status").path("preparedClaims").toString();
  }

  private void awaitOpen() {
    Awaitility.await("the kubelet hears of the plugin")
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> Files.exists(new ProcessSetup(directory).sockets().registration()));
  }

  @Test
  void anOldKubeletHearsOfThePluginOnlyWhenWhatItMayUseIsBack() throws Exception {
    try (FakeApi api = new FakeApi()) {
      PluginOptions options = bootedWith(api, "v1.27.4");
      api.failNext(Integer.MAX_VALUE);
      try (PluginProcess process = PluginProcess.start(options, "1.2.3", problem -> {})) {
        Awaitility.await("it asks for its node more than once")
            .atMost(60, TimeUnit.SECONDS)
            .until(() -> api.requests.stream().filter(r -> r.contains("/nodes/")).count() > 1);
        assertThat(new ProcessSetup(directory).sockets().registration()).doesNotExist();
        assertThat(ProcessSetup.get(process.probePort(), "/healthz").statusCode()).isEqualTo(200);
        assertThat(ProcessSetup.get(process.probePort(), "/readyz").statusCode()).isEqualTo(503);

        api.failNext(0);
        awaitOpen();
        assertThat(new ProcessSetup(directory).specFile()).exists();
        Awaitility.await("the inventory lists it with its GPU")
            .atMost(60, TimeUnit.SECONDS)
            .until(() -> prepared(api).contains("\"devices\":[\"gpu-0\"]"));
      }
    }
  }

  @Test
  void aKubeletThatAsksAgainIsWaitedFor() throws Exception {
    try (FakeApi api = new FakeApi();
        PluginProcess process =
            PluginProcess.start(bootedWith(api, "v1.28.0"), "1.2.3", problem -> {})) {
      awaitOpen();
      Awaitility.await("its names are free")
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> prepared(api).equals("[]"));
      assertThat(api.requests).noneMatch(request -> request.endsWith(CLAIM));
      assertThat(directory.resolve("cdi")).isEmptyDirectory();
      assertThat(ProcessSetup.get(process.probePort(), "/healthz").statusCode()).isEqualTo(200);
    }
  }
}
