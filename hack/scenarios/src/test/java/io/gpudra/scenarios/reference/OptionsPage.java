package io.gpudra.scenarios.reference;

import static io.gpudra.scenarios.reference.Markdown.code;
import static io.gpudra.scenarios.reference.Markdown.prose;
import static io.gpudra.scenarios.reference.Markdown.table;

import com.google.common.base.Joiner;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** What the command lines of the programs understand, as their models say it. */
final class OptionsPage {
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{env:(\\w+)(?::-(.*))?}");

  /** The end of a description that has columns of its own here. */
  private static final Pattern TOLD_APART =
      Pattern.compile(" *\\((?:env \\w+)?(?:; )?(?:default: (.*))?\\)$");

  private static final String DEFAULT = "${DEFAULT-VALUE}";

  private OptionsPage() {}

  static String of(String intro, Object... programs) {
    return Markdown.page(
        "Command-line options",
        intro,
        Stream.of(programs).map(OptionsPage::program).collect(Collectors.joining()));
  }

  private static String program(Object program) {
    CommandLine command = program instanceof CommandLine made ? made : new CommandLine(program);
    command.setInterpolateVariables(false);
    return section("##", command.getCommandSpec())
        + command.getSubcommands().values().stream()
            .map(CommandLine::getCommandSpec)
            .filter(one -> !one.usageMessage().hidden())
            .map(one -> section("###", one))
            .collect(Collectors.joining());
  }

  private static String section(String level, CommandSpec command) {
    return "%s %s\n\n%s\n\n".formatted(level, usage(command), description(command))
        + options(command)
        + exitCodes(command.usageMessage().exitCodeList());
  }

  /** With its parameters, which are few. */
  private static String usage(CommandSpec command) {
    return Stream.concat(
            Stream.of(command.qualifiedName(" ")),
            command.positionalParameters().stream()
                .filter(one -> !one.hidden())
                .map(one -> one.required() ? one.paramLabel() : "[" + one.paramLabel() + "]"))
        .collect(Collectors.joining(" "));
  }

  private static String description(CommandSpec command) {
    return prose(String.join("\n\n", command.usageMessage().description()));
  }

  private static String options(CommandSpec command) {
    List<List<String>> rows =
        Stream.<ArgSpec>concat(
                command.positionalParameters().stream(),
                command.options().stream()
                    .filter(one -> !one.usageHelp() && !one.versionHelp() && !one.inherited()))
            .filter(one -> !one.hidden())
            .map(OptionsPage::row)
            .toList();
    return rows.isEmpty()
        ? ""
        : table(List.of("option", "environment", "default", "what it is"), rows);
  }

  private static List<String> row(ArgSpec argument) {
    String given = argument.defaultValue() == null ? "" : argument.defaultValue();
    Matcher variable = VARIABLE.matcher(given);
    String environment = variable.matches() ? variable.group(1) : "";
    String value = environment.isEmpty() ? given : toText(variable.group(2));
    String text = String.join(" ", argument.description());
    Matcher end = TOLD_APART.matcher(text);
    String inWords = end.find() ? toText(end.group(1)) : "";
    return List.of(
        code(name(argument)),
        code(environment),
        argument.required()
            ? "required"
            : value.isEmpty() ? inWords.replace(DEFAULT, "") : code(value),
        prose(cleared(end.replaceFirst(""), environment, argument)));
  }

  private static String toText(@Nullable String group) {
    return group == null ? "" : group;
  }

  private static String cleared(String text, String environment, ArgSpec argument) {
    return text.replace(" (" + environment + ")", "")
        .replace(": " + DEFAULT, ".")
        .replace("${COMPLETION-CANDIDATES}", candidates(argument));
  }

  private static String candidates(ArgSpec argument) {
    return argument.completionCandidates() == null
        ? ""
        : Joiner.on(", ").join(argument.completionCandidates());
  }

  private static String name(ArgSpec argument) {
    if (argument instanceof PositionalParamSpec) {
      return argument.paramLabel();
    }
    String names = String.join(", ", ((OptionSpec) argument).names());
    return argument.arity().max() == 0 ? names : names + "=" + argument.paramLabel();
  }

  private static String exitCodes(Map<String, String> codes) {
    return codes.isEmpty()
        ? ""
        : table(
            List.of("exit code", "meaning"),
            codes.entrySet().stream()
                .map(code -> List.of(code.getKey(), code.getValue()))
                .toList());
  }
}
