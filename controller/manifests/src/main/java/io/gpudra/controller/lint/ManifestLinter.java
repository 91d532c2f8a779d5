package io.gpudra.controller.lint;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.gpudra.controller.gpu.GpuChecks;
import io.gpudra.controller.lint.object.ObjectCheck;
import io.gpudra.controller.lint.object.ObjectProblem;
import io.gpudra.controller.lint.yaml.ValueBudget;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Checks manifests without a cluster. */
public final class ManifestLinter {

  /** The maximum number of findings per text; further findings are only counted. */
  public static final int MAX_FINDINGS = 100;

  private final String driver;
  private final String defaultNamespace;
  private final GpuChecks checks;
  private final ObjectCheck objects;

  /**
   * A linter for objects of one driver.
   *
   * @param driver its name
   * @param defaultNamespace for objects without a namespace; may be empty
   */
  public ManifestLinter(String driver, String defaultNamespace) {
    this.driver = driver;
    this.defaultNamespace = defaultNamespace;
    this.checks = new GpuChecks(driver);
    this.objects = new ObjectCheck(driver, checks);
  }

  /** Checks the texts, each by itself and all together. */
  public LintResult of(List<ManifestText> sources) {
    Map<ManifestText, LintObjectReader> read = new LinkedHashMap<>();
    ValueBudget budget = new ValueBudget();
    sources.forEach(
        manifestText ->
            read.put(manifestText, LintObjectReader.of(manifestText, defaultNamespace, budget)));
    List<LintObject> subjects =
        read.values().stream().flatMap(one -> one.found().stream()).toList();
    Checks objectChecks = checks(new ManifestObjects(objects, subjects), subjects);
    ImmutableList.Builder<LintFinding> findings = ImmutableList.builder();
    ImmutableMap.Builder<String, Integer> untold = ImmutableMap.builder();
    read.forEach(
        (manifestText, found) -> {
          List<LintFinding> all = objectChecks.at(found);
          findings.addAll(all.subList(0, Math.min(all.size(), MAX_FINDINGS)));
          if (all.size() > MAX_FINDINGS) {
            untold.put(manifestText.name(), all.size() - MAX_FINDINGS);
          }
        });
    int looked = read.values().stream().mapToInt(LintObjectReader::checkedCount).sum();
    return new LintResult(findings.build(), untold.buildKeepingLast(), looked);
  }

  private Checks checks(ManifestObjects manifestObjects, List<LintObject> subjects) {
    ManifestClaimReader reader = new ManifestClaimReader(driver, manifestObjects, checks);
    return new Checks(
        manifestObjects,
        new ClaimCheck(reader),
        new PodCheck(manifestObjects, reader, checks),
        new GroupCheck(driver, manifestObjects, subjects),
        new QuotaCheck(reader, subjects));
  }

  private record Checks(
      ManifestObjects manifestObjects,
      ClaimCheck claims,
      PodCheck pods,
      GroupCheck groups,
      QuotaCheck quotas) {

    private static final Comparator<LintFinding> BY_PLACE =
        Comparator.comparingInt(LintFinding::line).thenComparingInt(LintFinding::column);

    List<LintFinding> at(LintObjectReader lintObjectReader) {
      return Stream.concat(
              lintObjectReader.problems().stream(),
              lintObjectReader.found().stream().flatMap(this::at))
          .sorted(BY_PLACE)
          .toList();
    }

    private Stream<LintFinding> at(LintObject lintObject) {
      ImmutableList<ObjectProblem> byItself = manifestObjects.problems(lintObject);
      Stream<ObjectProblem> withOthers =
          byItself.isEmpty() ? withOthers(lintObject) : Stream.empty();
      return Stream.concat(byItself.stream(), withOthers)
          .map(problem -> LintFinding.of(lintObject, problem));
    }

    private Stream<ObjectProblem> withOthers(LintObject lintObject) {
      return switch (lintObject.kind()) {
        case CLAIM, TEMPLATE -> claims.problems(lintObject).stream();
        case POD,
            POD_TEMPLATE,
            REPLICATION_CONTROLLER,
            DEPLOYMENT,
            REPLICA_SET,
            STATEFUL_SET,
            DAEMON_SET,
            JOB,
            CRON_JOB ->
            Stream.concat(groups.problems(lintObject).stream(), pods.problems(lintObject).stream());
        case QUOTA -> quotas.problems(lintObject).stream();
        case CLAIM_PARAMETERS, CLASS_PARAMETERS, INVENTORY, RESOURCE_CLASS, NAMESPACE ->
            Stream.empty();
      };
    }
  }
}
