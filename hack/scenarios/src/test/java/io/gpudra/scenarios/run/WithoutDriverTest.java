package io.gpudra.scenarios.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableSet;
import com.google.common.io.MoreFiles;
import io.gpudra.scenarios.script.Expectation;
import io.gpudra.scenarios.script.Scenario;
import io.gpudra.scenarios.script.Step;
import io.gpudra.simulator.EmbeddedApiServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * What is there as soon as it is applied shows nothing of a driver: each expectation of an example
 * waits for something that a driver does.
 */
@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class WithoutDriverTest {
  private static final ImmutableSet<String> NEEDED =
      ImmutableSet.of(
          "CustomResourceDefinition", "Namespace", "ResourceClass", "GpuClassParameters");
  private static final Path ROOT = Path.of("../..");

  @TestFactory
  Stream<DynamicTest> noExpectationIsMet() throws IOException {
    return Stream.concat(
            Scenario.all(ROOT.resolve("manifests/examples")).stream(),
            Scenario.all(Path.of("documents")).stream())
        .filter(scenario -> scenario.kind().needs().isEmpty())
        .map(scenario -> dynamicTest(scenario.name(), () -> play(scenario)));
  }

  private static void play(Scenario scenario) throws IOException, InterruptedException {
    try (EmbeddedApiServer server = EmbeddedApiServer.start(0)) {
      ClusterClient cluster = new ClusterClient(server.url());
      for (String directory : List.of("crds", "manifests/base")) {
        for (Path file : MoreFiles.listFiles(ROOT.resolve(directory))) {
          if (file.toString().endsWith(".yaml")) {
            install(file, cluster);
          }
        }
      }
      Alone stage = new Alone(scenario, cluster);
      for (Step step : scenario.steps()) {
        step.doneBy(stage);
      }
    }
  }

  private static void install(Path file, ClusterClient cluster)
      throws IOException, InterruptedException {
    for (ObjectNode object : Manifests.read(file)) {
      if (NEEDED.contains(object.path("kind").asText())) {
        cluster.create(object);
      }
    }
  }

  /** An API server that keeps what it is given, and nobody who looks at it. */
  private static final class Alone implements Step.Stage {
    private final Scenario scenario;
    private final ClusterClient cluster;
    private final Changes changes;

    private Alone(Scenario scenario, ClusterClient cluster) {
      this.scenario = scenario;
      this.cluster = cluster;
      this.changes = new Changes(cluster, Kubernetes.WITHOUT_WORKLOADS, scenario.namespace());
    }

    @Override
    public void apply(String file) throws IOException, InterruptedException {
      for (ObjectNode object : Manifests.read(scenario.directory().resolve(file))) {
        changes.apply(object);
      }
    }

    @Override
    public void delete(String file) throws IOException, InterruptedException {
      changes.undo(Manifests.read(scenario.directory().resolve(file)));
    }

    @Override
    public int minorVersion() throws IOException, InterruptedException {
      return cluster.minorVersion();
    }

    @Override
    public void expect(Expectation expectation) throws IOException, InterruptedException {
      Observer observer = new Observer(cluster, new NoNodes());
      assertThat(expectation.differences(observer.observe(scenario.namespace())))
          .as(new Step.Expect(expectation, 0).title())
          .isNotEmpty();
    }
  }

  private record NoNodes() implements NodeView {
    @Override
    public Optional<Map<String, String>> environment(
        String namespace, String pod, String container) {
      return Optional.empty();
    }

    @Override
    public List<String> cdiFiles() {
      return List.of();
    }
  }
}
