package io.gpudra.crds.api.parameters;

import com.google.common.collect.ImmutableList;
import io.gpudra.crds.api.problem.FieldRule;
import io.gpudra.crds.api.problem.ProblemList;

/** The rules for a toleration. */
final class TolerationRules {

  private static final int MAX_KEY_CHARACTERS = 316;
  private static final int MAX_VALUE_CHARACTERS = 63;

  /** A hundred years; more cannot be added to a time. */
  private static final long MAX_SECONDS = 3_153_600_000L;

  static final ImmutableList<FieldRule<TolerationSpec>> RULES =
      ImmutableList.of(
          new FieldRule<>(
              toleration ->
                  TolerationSpec.EXISTS.equals(toleration.operator()) && toleration.value() != null,
              "operator Exists takes no value"),
          new FieldRule<>(
              toleration ->
                  toleration.operatorOrDefault().equals(TolerationSpec.EQUAL)
                      && (toleration.key() == null || toleration.key().isEmpty()),
              "operator Equal needs a key"),
          new FieldRule<>(
              toleration ->
                  toleration.tolerationSeconds() != null
                      && !TolerationSpec.NO_EXECUTE.equals(toleration.effect()),
              "tolerationSeconds is only for effect NoExecute"));

  private TolerationRules() {}

  static void check(ProblemList problems, String path, TolerationSpec toleration) {
    problems.checkMost(path + ".key", toleration.key(), MAX_KEY_CHARACTERS);
    problems.checkChoice(path + ".operator", toleration.operator(), TolerationSpec.OPERATORS);
    problems.checkMost(path + ".value", toleration.value(), MAX_VALUE_CHARACTERS);
    problems.checkChoice(path + ".effect", toleration.effect(), TolerationSpec.EFFECTS);
    problems.checkRange(
        path + ".tolerationSeconds", toleration.tolerationSeconds(), 0, MAX_SECONDS);
    problems.checkRules(path, toleration, RULES);
  }
}
