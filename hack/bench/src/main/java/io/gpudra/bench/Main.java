package io.gpudra.bench;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import io.gpudra.bench.figure.Benchmark;
import io.gpudra.bench.figure.Change;
import io.gpudra.bench.figure.Figure;
import io.gpudra.bench.figure.Machine;
import io.gpudra.bench.figure.Report;
import io.gpudra.bench.micro.MicroBenchmark;
import io.gpudra.bench.process.Admissions;
import io.gpudra.bench.process.Immediate;
import io.gpudra.bench.process.Nvidia;
import io.gpudra.bench.process.Page;
import io.gpudra.bench.process.Prepare;
import io.gpudra.bench.process.Questions;
import io.gpudra.bench.process.Scale;
import io.gpudra.bench.process.StartUp;
import io.gpudra.bench.process.Throughput;
import io.gpudra.bench.process.Translations;
import io.gpudra.bench.process.Workbench;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Behind {@code hack/bench/run}. */
@Command(
    name = "hack/bench/run",
    description = "Measures what the design promises; exits 1 when a budget does not hold.",
    exitCodeOnExecutionException = 2,
    mixinStandardHelpOptions = true)
final class Main implements Callable<Integer> {

  @Option(
      names = "--only",
      paramLabel = "NAME",
      description =
          "suitability, placement, parts, cel, group, start, prepare, nvidia, nvidia-library,"
              + " webhook, ask, translate, page, pods, scale or immediate; may come again")
  private List<String> only = List.of();

  @Option(
      names = "--before",
      paramLabel = "DIR",
      description =
          "measures the checkout there and this one in alternation, five rounds, suitability and"
              + " prepare if nothing else is asked for; exits 1 when a figure with a budget became"
              + " worse by more than its spread or 10 %%")
  private @Nullable Path before;

  @Option(names = "--json", paramLabel = "FILE", description = "where to write the figures, too")
  private @Nullable Path json;

  @Option(names = "--root", hidden = true, description = "the repository")
  private Path root = Path.of("");

  private Main() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Main()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    return before == null ? measure() : compare(before);
  }

  private int compare(Path earlier) throws IOException, InterruptedException {
    if (!Files.isExecutable(earlier.resolve("hack/bench/run"))) {
      throw new IOException("--before: there is no hack/bench/run in " + earlier);
    }
    ImmutableList<String> names =
        only.isEmpty() ? ImmutableList.of("suitability", "prepare") : names(chosen());
    Path directory = Files.createDirectories(root.resolve("hack/bench/target/alternation"));
    ImmutableList<Change> changes = new Alternation(names, directory).measure(earlier, root);
    System.out.print(Machine.describe() + "\n\n" + Change.table("figure", changes));
    return changes.stream().allMatch(Change::held) ? 0 : 1;
  }

  private static ImmutableList<String> names(ImmutableList<Benchmark> benchmarks) {
    return benchmarks.stream().map(Benchmark::name).collect(ImmutableList.toImmutableList());
  }

  private int measure() throws IOException, InterruptedException {
    ImmutableListMultimap.Builder<String, Figure> figures = ImmutableListMultimap.builder();
    for (Benchmark benchmark : chosen()) {
      System.err.println("measuring: " + benchmark.name());
      figures.putAll(benchmark.name(), benchmark.measure());
    }
    Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    Report report = new Report(Machine.describe(), now, figures.build());
    System.out.print(report.table());
    if (json != null) {
      Files.writeString(json, report.json());
    }
    return report.held() ? 0 : 1;
  }

  private ImmutableList<Benchmark> chosen() throws IOException {
    ImmutableList<Benchmark> all = all();
    String names = String.join(", ", names(all));
    for (String name : only) {
      if (all.stream().noneMatch(one -> one.name().equals(name))) {
        throw new IOException("no benchmark %s; there are: %s".formatted(name, names));
      }
    }
    return all.stream()
        .filter(one -> only.isEmpty() || only.contains(one.name()))
        .collect(ImmutableList.toImmutableList());
  }

  private ImmutableList<Benchmark> all() throws IOException {
    Path directory = root.resolve("hack/bench/target/run");
    Workbench bench = new Workbench(root, Files.createDirectories(directory));
    return ImmutableList.<Benchmark>builder()
        .addAll(MicroBenchmark.all(bench.controller().jvmFlags()))
        .add(new StartUp(bench))
        .add(new Prepare(bench))
        .addAll(Nvidia.all(bench))
        .add(new Admissions(bench))
        .add(new Questions(bench))
        .add(new Translations(bench))
        .add(new Page(bench))
        .add(new Throughput(bench))
        .add(new Scale(bench))
        .add(new Immediate(bench))
        .build();
  }
}
