package io.gpudra.scenarios.steps;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Behind {@code hack/scenarios/steps}. */
@Command(
    name = "steps",
    description = "Simulates a cluster in which everything goes wrong, step by step.",
    exitCodeOnExecutionException = 3,
    mixinStandardHelpOptions = true)
final class StepsCommand implements Callable<Integer> {
  @Option(names = "--seeds", description = "how many histories, one for each seed from --from on")
  private int seeds = 1000;

  @Option(names = "--from", description = "the first seed")
  private long from = 1;

  @Option(names = "--length", description = "steps before everything heals")
  private int length = 2000;

  @Option(names = "--until-failure", description = "leaves the other seeds once one has failed")
  private boolean untilFailure;

  @Option(names = "--seed", description = "replays this seed and tells its history")
  private Long seed;

  private final AtomicBoolean failed = new AtomicBoolean();

  public static void main(String[] arguments) {
    silence();
    System.exit(new CommandLine(new StepsCommand()).execute(arguments));
  }

  /** What goes wrong is meant to, thousands of times a second. */
  static void silence() {
    ((LoggerContext) LoggerFactory.getILoggerFactory())
        .getLoggerList()
        .forEach(logger -> logger.setLevel(Level.OFF));
  }

  @Override
  public Integer call() {
    return seed == null ? many() : replay(seed);
  }

  private int many() {
    long start = System.nanoTime();
    var results =
        LongStream.range(from, from + seeds)
            .parallel()
            .filter(one -> !(untilFailure && failed.get()))
            .mapToObj(this::run)
            .toList();
    results.stream()
        .filter(result -> result.problem().isPresent())
        .forEach(
            result -> System.out.printf("seed %d: %s%n", result.seed(), result.problem().get()));
    long failures = results.stream().filter(result -> result.problem().isPresent()).count();
    long steps = results.stream().mapToLong(Steps.Result::steps).sum();
    System.out.printf(
        "%d steps over %d seeds in %d s, %d seeds failed%n",
        steps, results.size(), (System.nanoTime() - start) / 1_000_000_000, failures);
    return failures == 0 ? 0 : 1;
  }

  private Steps.Result run(long one) {
    Steps.Result result = Steps.run(one, length, /* chronicled= */ false);
    result.problem().ifPresent(problem -> failed.set(true));
    return result;
  }

  private int replay(long one) {
    Steps.Result result = Steps.run(one, length, /* chronicled= */ true);
    result.history().forEach(System.out::println);
    System.out.printf(
        "seed %d, %d steps: %s%n", one, result.steps(), result.problem().orElse("all is well"));
    return result.problem().isEmpty() ? 0 : 1;
  }
}
