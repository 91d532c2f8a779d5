package io.gpudra.controller.dashboard;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A Chromium without a screen, where there is one on this machine. */
final class Browser implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  final ChromeDriver driver;

  private Browser(Path binary, Path chromedriver) {
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    ChromeOptions options = new ChromeOptions();
    options.setBinary(binary.toFile());
    // As root, Chromium has no sandbox; it sees nothing but this page.
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--enable-precise-memory-info",
        "--force-device-scale-factor=1",
        "--window-size=1440,1080");
    options.setCapability("goog:loggingPrefs", logs);
    driver =
        new ChromeDriver(
            new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver.toFile())
                .usingAnyFreePort()
                .build(),
            options);
  }

  /** Skips the test where there is none, unless {@code -Dbrowser.required=true}. */
  static Browser start() {
    Optional<Path> binary =
        found("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
    Optional<Path> chromedriver = found("chromedriver");
    boolean both = binary.isPresent() && chromedriver.isPresent();
    if (!both && !Boolean.getBoolean("browser.required")) {
      Assumptions.abort(
          "the page is not tested: there is no chromium and chromedriver on the PATH (Debian:"
              + " apt-get install chromium chromium-driver)");
    }
    return new Browser(binary.orElseThrow(), chromedriver.orElseThrow());
  }

  private static Optional<Path> found(String... names) {
    return Stream.of(names)
        .flatMap(
            name ->
                Stream.of(System.getenv("PATH").split(java.io.File.pathSeparator))
                    .map(directory -> Path.of(directory, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  void open(String address) {
    driver.get("about:blank");
    complaints();
    driver.get(address);
    awaitThat("the cluster is shown", "!document.querySelector('main.reading')");
  }

  WebElement find(String selector) {
    return driver.findElement(By.cssSelector(selector));
  }

  /** As it stands in the document, shown or not. */
  String text(String selector) {
    return String.valueOf(find(selector).getDomProperty("textContent")).strip();
  }

  /** Value of a JavaScript expression; empty text for none. */
  Object ask(String expression, Object... arguments) {
    return Objects.requireNonNullElse(driver.executeScript("return " + expression, arguments), "");
  }

  void awaitThat(String what, String expression) {
    await(what).atMost(LIMIT).until(() -> ask(expression), Boolean.TRUE::equals);
  }

  void awaitText(String selector, Predicate<String> text) {
    await("text of " + selector).atMost(LIMIT).until(() -> text(selector), text);
  }

  /** What the tile of this state counts. */
  String count(String letter) {
    return text(".tile[data-state=" + letter + "] b");
  }

  void awaitCount(String letter, String count) {
    await("tile " + letter).atMost(LIMIT).until(() -> count(letter), count::equals);
  }

  /** Cells of the rows of the table that are there, in their order, joined. */
  List<?> rows() {
    return (List<?>)
        ask(
            """
            [...document.querySelectorAll('#rows .row')].filter(row => !row.hidden)
              .sort((a, b) => a.dataset.index - b.dataset.index)
              .map(row => [...row.children].map(cell => cell.textContent).join(' | '))\
            """);
  }

  /** Mouse over the middle of the GPU of this number of the node of this number, as laid out. */
  String hover(int x, int y) {
    driver.executeScript(
        """
        const box = document.getElementById('map').getBoundingClientRect();
        document.getElementById('map').dispatchEvent(new MouseEvent('mousemove',
          {clientX: box.left + arguments[0], clientY: box.top + arguments[1], bubbles: true}));\
        """,
        x,
        y);
    return text("#tip");
  }

  /** Red, green and blue of the map at this place. */
  String colour(int x, int y) {
    return String.valueOf(
        ask(
            """
            [...document.getElementById('canvas').getContext('2d')
              .getImageData(arguments[0], arguments[1], 1, 1).data].slice(0, 3).join(' ')\
            """,
            x,
            y));
  }

  void prefer(String scheme) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  /**
   * Texts on the screen that are hard to read: less than 4.5 to 1 between them and their ground.
   */
  List<?> faintTexts() {
    return (List<?>)
        ask(
            """
            (() => {
              const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
              const over = (colour, ground) =>
                [0, 1, 2].map(i => ground[i] + (colour[i] - ground[i]) * (colour[3] ?? 1));
              const ground = one => one
                ? over(numbers(getComputedStyle(one).backgroundColor), ground(one.parentElement))
                : [255, 255, 255];
              const light = colour => colour.map(part => part / 255)
                .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
                .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
              const contrast = (one, pseudo) => {
                const under = ground(one);
                const of = over(numbers(getComputedStyle(one, pseudo).color), under);
                const [less, more] = [light(of), light(under)].sort((a, b) => a - b);
                return (more + 0.05) / (less + 0.05);
              };
              const seen = one => one.checkVisibility({opacityProperty: true})
                && one.getBoundingClientRect().width > 1;
              const texts = [...document.querySelectorAll('body *')].filter(seen);
              return texts.filter(one => [...one.childNodes].some(
                    node => node.nodeType === Node.TEXT_NODE && node.data.trim()))
                .map(one => [one, contrast(one)])
                .concat(texts.filter(one => one.placeholder)
                  .map(one => [one, contrast(one, '::placeholder')]))
                .filter(([one, ratio]) => ratio < 4.5 && !one.disabled)
                .map(([one, ratio]) => `${one.textContent || one.placeholder}: ${ratio.toFixed(1)}`);
            })()\
            """);
  }

  void photograph(String name) throws IOException {
    Path directory = Files.createDirectories(Path.of("target", "screenshots"));
    Files.write(directory.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
  }

  /** What it complained of, as of a policy that was broken or a script that failed. */
  List<String> complaints() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .map(LogEntry::getMessage)
        .toList();
  }

  @Override
  public void close() {
    driver.quit();
  }
}
