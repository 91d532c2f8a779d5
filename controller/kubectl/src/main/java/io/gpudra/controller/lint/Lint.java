package io.gpudra.controller.lint;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.gpu.GpuChecks;
import io.gpudra.controller.lint.object.ObjectCheck;
import io.gpudra.controller.lint.object.Told;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Checks manifests without a cluster. */
public final class Lint {

  /** Maximum per text; further findings are only counted. */
  public static final int MAX_FINDINGS = 100;

  private final String driver;
  private final String defaultNamespace;
  private final GpuChecks checks;
  private final ObjectCheck objects;

  /**
   * Checks objects of one driver.
   *
   * @param driver its name
   * @param defaultNamespace for objects without a namespace; may be empty
   */
  public Lint(String driver, String defaultNamespace) {
    this.driver = driver;
    this.defaultNamespace = defaultNamespace;
    this.checks = new GpuChecks(driver);
    this.objects = new ObjectCheck(driver, checks);
  }

  /** Checks the texts, each by itself and all together. */
  public Report of(List<Source> sources) {
    Map<Source, Subjects> read = new LinkedHashMap<>();
    sources.forEach(source -> read.put(source, Subjects.of(source, defaultNamespace)));
    List<Subject> subjects = read.values().stream().flatMap(one -> one.found().stream()).toList();
    Look look = look(new Given(objects, subjects));
    ImmutableList.Builder<Finding> findings = ImmutableList.builder();
    ImmutableMap.Builder<String, Integer> untold = ImmutableMap.builder();
    read.forEach(
        (source, found) -> {
          List<Finding> all = look.at(found);
          findings.addAll(all.subList(0, Math.min(all.size(), MAX_FINDINGS)));
          if (all.size() > MAX_FINDINGS) {
            untold.put(source.name(), all.size() - MAX_FINDINGS);
          }
        });
    int looked = read.values().stream().mapToInt(Subjects::looked).sum();
    return new Report(findings.build(), untold.buildKeepingLast(), looked);
  }

  private Look look(Given given) {
    ClaimReader reader = new ClaimReader(driver, given, checks);
    return new Look(given, new ClaimCheck(reader), new PodCheck(given, reader, checks));
  }

  private record Look(Given given, ClaimCheck claims, PodCheck pods) {

    private static final Comparator<Finding> BY_PLACE =
        Comparator.comparingInt(Finding::line).thenComparingInt(Finding::column);

    List<Finding> at(Subjects subjects) {
      return Stream.concat(
              subjects.problems().stream(), subjects.found().stream().flatMap(this::at))
          .sorted(BY_PLACE)
          .toList();
    }

    private Stream<Finding> at(Subject subject) {
      ImmutableList<Told> byItself = given.problems(subject);
      Stream<Told> withOthers = byItself.isEmpty() ? withOthers(subject) : Stream.empty();
      return Stream.concat(byItself.stream(), withOthers).map(told -> Finding.of(subject, told));
    }

    private Stream<Told> withOthers(Subject subject) {
      return switch (subject.kind()) {
        case CLAIM, TEMPLATE -> claims.problems(subject).stream();
        case POD,
            POD_TEMPLATE,
            REPLICATION_CONTROLLER,
            DEPLOYMENT,
            REPLICA_SET,
            STATEFUL_SET,
            DAEMON_SET,
            JOB,
            CRON_JOB ->
            pods.problems(subject).stream();
        case CLAIM_PARAMETERS, CLASS_PARAMETERS, INVENTORY, RESOURCE_CLASS, NAMESPACE ->
            Stream.empty();
      };
    }
  }
}
