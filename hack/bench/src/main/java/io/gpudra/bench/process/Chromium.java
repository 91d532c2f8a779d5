package io.gpudra.bench.process;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/** A browser without a screen that looks at the page, and says what that cost it. */
final class Chromium implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final ChromeDriver driver;

  private Chromium(Path binary, Path chromedriver) {
    ChromeOptions options = new ChromeOptions();
    options.setBinary(binary.toFile());
    options.addArguments(
        "--headless=new",
        // As root it has none.
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--enable-precise-memory-info",
        "--window-size=1440,1080");
    driver =
        new ChromeDriver(
            new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver.toFile())
                .usingAnyFreePort()
                .build(),
            options);
    driver.manage().timeouts().scriptTimeout(PATIENCE);
  }

  /** Absent where it or its driver is not on the {@code PATH}. */
  static Optional<Chromium> start() {
    Optional<Path> chromedriver = found("chromedriver");
    return found("chromium").flatMap(binary -> chromedriver.map(it -> new Chromium(binary, it)));
  }

  private static Optional<Path> found(String name) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .map(directory -> Path.of(directory, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Opens the page anew; returns when it shows the cluster. */
  void open(String address) {
    driver.get("about:blank");
    driver.get(address);
    await("performance.getEntriesByName('picture').length > 0");
  }

  /** From the question to the picture. */
  double shownAfterMillis() {
    return number(
        "performance.getEntriesByName('picture')[0].startTime"
            + " + performance.getEntriesByName('picture')[0].duration");
  }

  /** When the last update began; zero before the first. */
  double updatedAt() {
    return number("performance.getEntriesByName('update').at(-1)?.startTime ?? 0");
  }

  void awaitUpdateAfter(double before) {
    await("(performance.getEntriesByName('update').at(-1)?.startTime ?? 0) > " + before);
  }

  /** What the last update took of the script's time. */
  double updateMillis() {
    return number("performance.getEntriesByName('update').at(-1).duration");
  }

  /** After a collection. */
  double heapBytes() {
    var unused = driver.executeCdpCommand("HeapProfiler.collectGarbage", Map.of());
    return number("performance.memory.usedJSHeapSize");
  }

  private double number(String expression) {
    return driver.executeScript("return " + expression) instanceof Number number
        ? number.doubleValue()
        : Double.NaN;
  }

  private void await(String expression) {
    driver.executeAsyncScript(
        """
        const done = arguments[0];
        const look = () => (%s) ? done() : setTimeout(look, 5);
        look();
        """
            .formatted(expression));
  }

  @Override
  public void close() {
    driver.quit();
  }
}
