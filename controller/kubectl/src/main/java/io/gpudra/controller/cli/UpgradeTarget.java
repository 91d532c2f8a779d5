package io.gpudra.controller.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Kubernetes versions on the command line, to which a cluster can be upgraded: the minor one. */
final class UpgradeTarget implements ITypeConverter<Integer> {
  private static final Pattern SYNTAX = Pattern.compile("1\\.(3[1-7])");

  @Override
  public Integer convert(String text) {
    Matcher matcher = SYNTAX.matcher(text);
    if (!matcher.matches()) {
      throw new TypeConversionException("'" + text + "' is none of 1.31 to 1.37");
    }
    return Integer.valueOf(matcher.group(1));
  }
}
