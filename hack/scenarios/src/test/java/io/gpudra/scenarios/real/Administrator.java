package io.gpudra.scenarios.real;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Who types what a page says, and looks at what comes of each command. */
final class Administrator {
  private static final String DOCTOR = "kubectl gpudra doctor";
  private static final Pattern COMPLAINT = Pattern.compile("(?m)^[A-Z]\\w+: .*$");

  private final ImmutableList<String> variables;
  private final Set<String> typed = new HashSet<>();

  /**
   * Has typed nothing yet.
   *
   * @param variables of the shell, as {@code NAME=value}
   */
  Administrator(String... variables) {
    this.variables = ImmutableList.copyOf(variables);
  }

  /**
   * Types one line after the other; of them, only the doctor may find fault.
   *
   * @param node that the commands are about, if they are
   */
  Said types(String block, String node) throws IOException, InterruptedException {
    ImmutableMap.Builder<String, String> said = ImmutableMap.builder();
    Commands shell = shell(node);
    for (String line : block.lines().toList()) {
      typed.add(line);
      System.out.printf("[%s] %s%n", node, line);
      Commands.Answer answer = shell.run(ImmutableList.of(line));
      assertThat(answer.code()).as("%s: %s", line, answer.text()).isIn(allowed(line));
      said.put(line, answer.text());
    }
    return new Said(said.buildOrThrow());
  }

  private static List<Integer> allowed(String line) {
    return line.startsWith(DOCTOR) ? List.of(0, 1) : List.of(0);
  }

  private Commands shell(String node) {
    return new Commands(
        ImmutableList.<String>builder()
            .add("env", "--chdir=" + RealClusterUnderTest.ROOT)
            .add(RealClusterUnderTest.PATH, "NODE=" + node)
            .addAll(variables)
            .add("bash", "-euc")
            .build());
  }

  /** Every line so far. */
  Set<String> typed() {
    return typed;
  }

  /**
   * What came of it.
   *
   * @param answers by command
   */
  record Said(Map<String, String> answers) {
    /** What the doctor complains of, and of whom. */
    List<String> complaints() {
      return COMPLAINT.matcher(doctor()).results().map(MatchResult::group).toList();
    }

    String doctor() {
      return answers.entrySet().stream()
          .filter(answer -> answer.getKey().startsWith(DOCTOR))
          .map(Map.Entry::getValue)
          .findFirst()
          .orElse("");
    }

    /** The last column of the pods that were listed, without its head. */
    List<String> gpusOfPods() {
      return answers.entrySet().stream()
          .filter(answer -> answer.getKey().startsWith("kubectl get pods"))
          .flatMap(answer -> answer.getValue().lines().skip(1))
          .map(line -> line.replaceFirst(".*\\s(\\S+)\\s*$", "$1"))
          .toList();
    }
  }
}
