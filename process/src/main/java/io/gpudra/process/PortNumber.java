package io.gpudra.process;

import com.google.common.primitives.Ints;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** TCP ports on the command line. */
public final class PortNumber implements ITypeConverter<Integer> {
  private static final int MAX = 65_535;

  @Override
  public Integer convert(String text) {
    @Nullable Integer port = Ints.tryParse(text);
    if (port == null || port < 0 || port > MAX) {
      throw new TypeConversionException("'%s' is not between 0 and %d".formatted(text, MAX));
    }
    return port;
  }
}
