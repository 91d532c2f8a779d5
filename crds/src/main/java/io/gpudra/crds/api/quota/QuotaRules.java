package io.gpudra.crds.api.quota;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.api.problem.FieldRule;
import io.gpudra.crds.api.problem.ProblemList;
import io.gpudra.crds.api.quota.GpuQuotaSpec.Hard;
import io.gpudra.crds.model.MemorySize;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The rules of the schema. */
final class QuotaRules {

  private static final int MAX_CLASSES = 16;
  private static final int MAX_NAME_CHARACTERS = 253;

  private static final Pattern SIZE = Pattern.compile("[1-9][0-9]*([.][0-9]+)?(Mi|Gi|Ti|M|G|T)");

  static final ImmutableList<FieldRule<Hard>> RULES =
      ImmutableList.of(
          new FieldRule<>(
              hard -> hard.gpus() == null && hard.memory() == null,
              "a quota limits gpus, memory or both"));

  private QuotaRules() {}

  private static boolean isSize(String text) {
    return text.length() <= MemorySize.MAX_LENGTH && SIZE.matcher(text).matches();
  }

  static void check(ProblemList problems, GpuQuotaSpec spec) {
    checkClasses(problems, spec.resourceClassNames());
    if (spec.hard() == null) {
      problems.required("spec.hard");
    } else {
      checkAmounts(problems, spec.hard());
      problems.checkRules("spec.hard", spec.hard(), RULES);
    }
  }

  private static void checkAmounts(ProblemList problems, Hard hard) {
    if (hard.gpus() != null && GpuAmount.parse(hard.gpus()).isEmpty()) {
      problems.addInvalid("spec.hard.gpus", hard.gpus(), GpuAmount.HINT);
    }
    if (hard.memory() != null && !isSize(hard.memory())) {
      problems.addInvalid("spec.hard.memory", hard.memory(), MemorySize.HINT);
    }
  }

  private static void checkClasses(ProblemList problems, @Nullable List<@Nullable String> classes) {
    String path = "spec.resourceClassNames";
    problems.checkItems(path, classes, 0, MAX_CLASSES);
    for (int i = 0; classes != null && i < Math.min(classes.size(), MAX_CLASSES); i++) {
      String at = "%s[%d]".formatted(path, i);
      String name = classes.get(i);
      if (name == null) {
        problems.required(at);
      } else if (classes.subList(0, i).contains(name)) {
        problems.add(at, "Duplicate value: \"%s\"".formatted(ProblemList.shortened(name)));
      }
      problems.checkLength(at, name, MAX_NAME_CHARACTERS);
    }
  }
}
