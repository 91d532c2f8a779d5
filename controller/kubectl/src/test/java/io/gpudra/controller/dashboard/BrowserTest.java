package io.gpudra.controller.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** What a person sees of a cluster, in a real browser. */
class BrowserTest {
  private static final String HOSTILE = "<img src=x onerror=\"document.title='taken'\"><b>bold</b>";

  private static Browser browser;

  private Ground ground;
  private Dashboard dashboard;

  @BeforeAll
  static void startBrowser() {
    browser = Browser.start();
  }

  @AfterAll
  static void endBrowser() {
    if (browser != null) {
      browser.close();
    }
  }

  @BeforeEach
  void start() throws IOException {
    ground = new Ground();
    dashboard = ground.open();
    browser.prefer("light");
  }

  @AfterEach
  void end() {
    dashboard.close();
    ground.close();
  }

  private void show() {
    browser.open(dashboard.address());
  }

  private void showAll() {
    ground.fill();
    show();
    browser.awaitCount("F", "41");
    browser.awaitText("#findings", text -> text.contains("NodeStale"));
  }

  private void twoNodes() {
    ground.node("node-1", 2, "T4", 15 * Ground.GIB);
    ground.node("node-2", 2, "A100", 80 * Ground.GIB);
  }

  @Test
  void whatIsOnTheScreenIsWhatTheLedgerSays() {
    showAll();

    assertThat(browser.driver.getCurrentUrl()).endsWith("/").doesNotContain("token");
    assertThat(browser.driver.getTitle()).isEqualTo("41 of 65 GPUs free");
    assertThat(browser.count("F")).isEqualTo("41");
    assertThat(browser.count("P")).isEqualTo("2");
    assertThat(browser.count("G")).isEqualTo("15");
    assertThat(browser.count("D")).isEqualTo("1");
    assertThat(browser.count("T")).isEqualTo("1");
    assertThat(browser.count("S")).isEqualTo("4");
    assertThat(browser.count("L")).isEqualTo("1");
    assertThat(browser.rows().get(0))
        .isEqualTo(
            "a100-1 | gpu-0 | NVIDIA A100-SXM4-80GB, 80 GiB | Granted |"
                + " team-a/train-llm (train-llm-0) | 2 h");
    assertThat(browser.text("#waiting"))
        .contains("team-b/big-job-0", "team-a/eval-7f9c", "Fits; waiting for the allocation.");
    assertThat(browser.text("#findings")).contains("DeviceLost", "ClaimOrphaned", "NodeStale");
    assertThat(browser.text("#namespaces")).contains("team-a12 GPUs", "team-b1 GPU + 3 parts");
    assertThat(browser.text("#models")).contains("Tesla T43 of 16");
    assertThat(browser.text("#status")).startsWith("Live · ");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void aQuotaHasItsBar() {
    showAll();
    browser.awaitText("#quotas", text -> text.contains("team-a/all gpus"));

    assertThat(browser.text("#quotas"))
        .startsWith("research/few gpus4 of 4team-a/all gpus")
        .contains("team-a/all memory");
    assertThat(browser.ask("document.querySelector('#quotas i').className")).isEqualTo("full");
    assertThat(browser.ask("document.querySelectorAll('#quotas i')[1].style.width"))
        .asString()
        .endsWith("%");
    assertThat(browser.find("#quotas-panel").isDisplayed()).isTrue();
  }

  @Test
  void withoutQuotasThereIsNoPanel() {
    twoNodes();
    show();
    browser.awaitCount("F", "4");
    assertThat(browser.find("#quotas-panel").isDisplayed()).isFalse();
  }

  @Test
  void theMapIsThere() {
    twoNodes();
    ground.grant("default", "train", "node-1", 0);
    show();
    browser.awaitCount("G", "1");

    assertThat(browser.hover(14, 34))
        .isEqualTo("node-1 · gpu-0Granted\nT4, 15 GiB\nHeld by default/train");
    String granted = browser.colour(14, 34);
    assertThat(browser.hover(44, 34)).startsWith("node-1 · gpu-1Free");
    String free = browser.colour(44, 34);
    assertThat(granted).isEqualTo("11 102 173");
    assertThat(free).isEqualTo("255 255 255");

    ground.release("default", "train");

    browser.awaitCount("G", "0");
    assertThat(browser.colour(14, 34)).isEqualTo(free);
  }

  @Test
  void aGrantAndItsReleaseAreSeenWithoutReloading() {
    twoNodes();
    show();
    browser.awaitCount("F", "4");

    ground.grant("default", "train", "node-2", 0, 1);

    browser.awaitCount("G", "2");
    assertThat(browser.count("F")).isEqualTo("2");
    assertThat(browser.rows().get(2))
        .asString()
        .startsWith("node-2 | gpu-0 | A100, 80 GiB | Granted");
    browser.awaitText("#news", "Free 2 (−2), Granted 2 (+2)"::equals);

    ground.release("default", "train");

    browser.awaitCount("F", "4");
    assertThat(browser.rows().get(2))
        .asString()
        .startsWith("node-2 | gpu-0 | A100, 80 GiB | Free |");
    ground.cluster.removeNode("node-1");
    browser.awaitCount("F", "2");
  }

  @Test
  void anApiServerThatIsGoneAndBackIsToldOf() {
    twoNodes();
    show();

    ground.cluster.server.stopServing();

    browser.awaitText("#status", text -> text.startsWith("Not live · "));
    assertThat(browser.text("#banner")).contains("The API server does not answer", "as of");
    assertThat(browser.count("F")).as("what was known").isEqualTo("4");

    ground.cluster.server.serveAgain();
    ground.grant("default", "train", "node-1", 0);

    browser.awaitText("#status", text -> text.startsWith("Live · "));
    browser.awaitCount("G", "1");
    assertThat(browser.find("#banner").isDisplayed()).isFalse();
  }

  @Test
  void aCommandThatHasEndedIsToldOf() {
    twoNodes();
    show();

    dashboard.close();

    browser.awaitText("#status", text -> text.startsWith("Not live · "));
    assertThat(browser.text("#banner"))
        .contains("The connection to kubectl gpudra dashboard is lost");
    assertThat(browser.find("main").getDomAttribute("class")).contains("old");
  }

  @Test
  void aClickTellsWhatExplainTells() {
    twoNodes();
    ground.grant("default", "train", "node-1", 0, 1);
    ground.grant("default", "other", "node-2", 0, 1);
    ground.claim("default", "eval");
    ground.pendingPod("default", "eval-0", "eval");
    show();
    browser.awaitText(
        "#waiting", text -> text.contains("0 of 2 nodes fit: 2 all matching GPUs in use"));

    browser.find("#waiting button").click();

    browser.awaitText("#detail-text", text -> text.contains("pod default/eval-0"));
    assertThat(browser.text("#detail-text")).contains("release of").contains("0 of 2 nodes fit");
    browser.find("#detail-close").click();
    browser.find("#rows .row").click();
    browser.awaitText("#detail-text", text -> text.contains("claim default/train"));
    assertThat(browser.text("#detail-text")).contains("node-1").contains("gpu-0");
  }

  @Test
  void textOfTheClusterStaysText() {
    ground.node("node-1", 1, "T4", 15 * Ground.GIB);
    ground.taint("node-1", 0, HOSTILE);
    show();
    ObjectNode claim = ground.grant("default", "hostile", "node-1", 0);
    ground.reserve(claim, HOSTILE);

    browser.awaitThat(
        "the pod is shown",
        "document.querySelector('#rows').textContent.includes('hostile (<img')");
    browser.hover(14, 34);
    browser.find("#rows .row").click();
    browser.awaitText("#detail-about", text -> text.contains(HOSTILE));

    assertThat(browser.ask("document.querySelectorAll('img, #rows b, #detail b, #tip b b').length"))
        .isEqualTo(0L);
    assertThat(browser.driver.getTitle()).isEqualTo("0 of 1 GPU free");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void theBrowserIsKeptFromTakingTextForMoreThanText() {
    twoNodes();
    show();

    assertThatThrownBy(() -> browser.ask("document.body.innerHTML = '<b>x</b>'"))
        .hasMessageContaining("TrustedHTML");
    assertThatThrownBy(() -> browser.ask("document.createElement('script').src = '/page.js'"))
        .hasMessageContaining("TrustedScriptURL");
    browser.ask("document.body.appendChild(document.createElement('img')).src = 'data:,'");
    assertThat(browser.complaints()).anyMatch(line -> line.contains("Content Security Policy"));
  }

  @Test
  void whatIsFilteredIsInTheTableAndTheRestIsDimmed() {
    showAll();

    browser.find("body").sendKeys("/");
    browser.driver.switchTo().activeElement().sendKeys("team-a a100-2");

    browser.awaitText("#table-summary", "4 GPUs of 65 match"::equals);
    assertThat(browser.rows())
        .hasSize(4)
        .allMatch(row -> row.toString().contains("team-a/finetune"));
    browser.driver.switchTo().activeElement().sendKeys(Keys.ESCAPE);
    browser.find(".tile[data-state=T]").click();
    browser.awaitText("#table-summary", "1 GPU of 65 match"::equals);
    assertThat(browser.rows()).singleElement().asString().contains("a100-5 | gpu-7", "Tainted");
    assertThat(browser.find(".tile[data-state=T]").getDomAttribute("aria-pressed"))
        .isEqualTo("true");
  }

  @Test
  void everythingIsReachedByKeyboardAndNamedForAScreenReader() {
    showAll();

    WebElement map = browser.find("#map");
    map.sendKeys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT);
    browser.awaitText("#news", text -> text.startsWith("a100-1 gpu-1. Granted"));
    WebElement table = browser.find("#table");
    table.sendKeys(Keys.ARROW_DOWN, Keys.ARROW_DOWN);
    String active = table.getDomAttribute("aria-activedescendant");
    assertThat(browser.find("#" + active).getDomAttribute("aria-rowindex")).isEqualTo("3");
    assertThat(table.getDomAttribute("aria-rowcount")).isEqualTo("66");
    table.sendKeys(Keys.ENTER);
    assertThat(browser.find("#detail").isDisplayed()).isTrue();
    browser.driver.switchTo().activeElement().sendKeys(Keys.ESCAPE);
    browser.awaitThat("the dialog is closed", "!document.getElementById('detail').open");
    assertThat(
            browser.ask(
                """
                [...document.querySelectorAll('button, input, [tabindex], section, [role=group]')]
                  .filter(one => !(one.getAttribute('aria-label') || one.getAttribute('aria-labelledby')
                    || one.textContent.trim() || one.closest('label') || one.id === 'detail-text'))
                  .map(one => one.outerHTML).join()\
                """))
        .isEqualTo("");
  }

  @Test
  void aClusterWithoutGpusSaysWhatIsMissing() {
    show();

    assertThat(browser.text("#map-empty"))
        .contains("no node has an inventory of the driver gpu.resource.example.com");
    assertThat(browser.text("#waiting")).isEqualTo("No pod waits for GPUs.");
    assertThat(browser.text("#findings")).isEqualTo("Nothing is wrong.");
  }

  @ParameterizedTest
  @CsvSource({"light, 200, 255", "dark, 0, 80"})
  void itIsReadableInLightAndDark(String scheme, int darkest, int lightest) throws IOException {
    browser.prefer(scheme);
    showAll();
    browser.awaitThat(
        "the map is " + scheme,
        "(red => red >= %d && red <= %d)(document.getElementById('canvas').getContext('2d')"
                .formatted(darkest, lightest)
            + ".getImageData(44, 130, 1, 1).data[0])");
    browser.photograph(scheme);
    assertThat(browser.faintTexts()).isEmpty();

    browser.hover(14, 34);
    assertThat(browser.faintTexts()).isEmpty();
    browser.find("#rows .row").click();
    browser.awaitText("#detail-text", text -> text.contains("team-a/train-llm"));
    browser.photograph("detail-" + scheme);
    assertThat(browser.faintTexts()).isEmpty();

    dashboard.close();
    browser.awaitText("#banner", text -> text.contains("is lost"));
    assertThat(browser.faintTexts()).isEmpty();
  }
}
