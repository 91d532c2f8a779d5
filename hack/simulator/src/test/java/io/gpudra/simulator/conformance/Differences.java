package io.gpudra.simulator.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/**
 * Tests that {@code DIFFERENCES.md} names are known to fail on the double. One that no longer does
 * is an error, so that the list stays true.
 */
final class Differences implements InvocationInterceptor {

  /** What the table of differences names, as {@code Class.method} or {@code Class.display name}. */
  static List<String> all() throws IOException {
    return Files.readAllLines(Path.of("DIFFERENCES.md")).stream()
        .filter(line -> line.startsWith("| `"))
        .map(line -> line.substring(3, line.indexOf('`', 3)))
        .toList();
  }

  @Override
  public void interceptTestMethod(
      Invocation<Void> test, ReflectiveInvocationContext<Method> call, ExtensionContext context)
      throws Throwable {
    judge(test, call.getTargetClass().getSimpleName() + "." + call.getExecutable().getName());
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<Void> test, ReflectiveInvocationContext<Method> call, ExtensionContext context)
      throws Throwable {
    judge(test, call.getTargetClass().getSimpleName() + "." + context.getDisplayName());
  }

  private static void judge(Invocation<Void> test, String name) throws Throwable {
    if (!ServerUnderTest.INSTANCE.isDouble() || !all().contains(name)) {
      test.proceed();
      return;
    }
    try {
      test.proceed();
    } catch (AssertionError e) {
      throw new TestAbortedException("a known difference", e);
    }
    assertThat(name).as("a difference that is no more; take it from the list").isEmpty();
  }
}
