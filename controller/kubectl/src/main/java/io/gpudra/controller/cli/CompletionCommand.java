package io.gpudra.controller.cli;

import static java.util.Objects.requireNonNull;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints shell completion scripts. */
@Command(
    name = "completion",
    description = {
      "Prints a shell completion script for kubectl-gpudra.",
      "bash, zsh: source <(kubectl-gpudra completion bash)",
      "fish: kubectl-gpudra completion fish | source",
      "kubectl: the file kubectl_complete-gpudra, for completion of kubectl gpudra; put it on the"
          + " PATH and make it executable"
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class CompletionCommand implements Runnable {
  private static final String NAME = "kubectl-gpudra";
  private static final String FOR_KUBECTL =
      """
      #!/bin/sh
      exec kubectl-gpudra %s -- "$@"
      """
          .formatted(CompleteCommand.NAME);
  private static final String FOR_FISH =
      """
      function __kubectl_gpudra
          set -l words (commandline -opc) (commandline -ct)
          kubectl-gpudra %s -- $words[2..-1] | string match -v ':*'
      end
      complete -c kubectl-gpudra -f -a '(__kubectl_gpudra)'
      """
          .formatted(CompleteCommand.NAME);

  /** The supported shells. */
  enum Shell {
    BASH,
    ZSH,
    FISH,
    KUBECTL;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
  private Shell shell = Shell.BASH;

  @Spec private @Nullable CommandSpec spec;

  @Override
  public void run() {
    CommandSpec self = requireNonNull(spec, "set by picocli");
    String script =
        switch (shell) {
          case BASH, ZSH -> AutoComplete.bash(NAME, self.parent().commandLine());
          case FISH -> FOR_FISH;
          case KUBECTL -> FOR_KUBECTL;
        };
    self.commandLine().getOut().print(script);
    self.commandLine().getOut().flush();
  }
}
