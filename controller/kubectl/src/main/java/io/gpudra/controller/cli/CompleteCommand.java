package io.gpudra.controller.cli;

import static java.util.Objects.requireNonNull;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints possible next words, one a line, as kubectl requests them from plugins. */
@Command(name = CompleteCommand.NAME, hidden = true)
final class CompleteCommand implements Runnable {
  static final String NAME = "__complete";

  /** Tells kubectl not to complete file names. */
  private static final String NO_FILES = ":4";

  /** After {@code --}, since they may include options. */
  @Parameters(arity = "0..*")
  private List<String> words = new ArrayList<>();

  @Spec private @Nullable CommandSpec spec;

  @Override
  public void run() {
    CommandSpec self = requireNonNull(spec, "set by picocli");
    CommandSpec gpudra = self.parent();
    String last = words.isEmpty() ? "" : words.get(words.size() - 1);
    List<CharSequence> candidates = new ArrayList<>();
    AutoComplete.complete(
        gpudra,
        words.toArray(String[]::new),
        Math.max(0, words.size() - 1),
        last.length(),
        last.length(),
        candidates);
    PrintWriter out = self.commandLine().getOut();
    candidates.forEach(rest -> out.println(last + rest));
    out.println(NO_FILES);
    out.flush();
  }
}
