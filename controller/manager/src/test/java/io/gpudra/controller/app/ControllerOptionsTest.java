package io.gpudra.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.crds.model.DriverName;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class ControllerOptionsTest {

  private static ControllerOptions parse(String... args) {
    ControllerOptions options = new ControllerOptions();
    new CommandLine(options).parseArgs(args);
    return options;
  }

  @Test
  void nothingSaidIsGood() {
    ControllerOptions options = parse();

    assertThat(options.problems()).isEmpty();
    assertThat(options.driverName).isEqualTo("gpu.resource.example.com");
    assertThat(options.leaseName()).isEqualTo("gpu.resource.example.com");
    assertThat(options.identity("host")).startsWith("host_");
    assertThat(options.timing().lease()).isEqualTo(Duration.ofSeconds(15));
    assertThat(options.timing().renewDeadline()).isEqualTo(Duration.ofSeconds(10));
    assertThat(options.timing().retry()).isEqualTo(Duration.ofSeconds(2));
    assertThat(options.timing().call()).isEqualTo(Duration.ofSeconds(4));
  }

  @Test
  void podsAreEvictedOnlyWhereThatIsSaid() {
    assertThat(parse().evict).isFalse();
    assertThat(parse("--evict").evict).isTrue();
    assertThat(parse("--evict=true").evict).isTrue();
    assertThat(parse("--evict=false").evict).isFalse();
  }

  @Test
  void podsAtAGateAreServedOnlyWhereThatIsSaid() {
    assertThat(parse().gates).isFalse();
    assertThat(parse("--gates").gates).isTrue();
    assertThat(parse().gatePatience).isEqualTo(Duration.ofSeconds(30));
    assertThat(parse("--gate-patience=5m").gatePatience).isEqualTo(Duration.ofMinutes(5));
    assertThat(parse().groupPatience).isEqualTo(Duration.ofMinutes(5));
    assertThat(parse("--group-patience=1m").groupPatience).isEqualTo(Duration.ofMinutes(1));
    assertThat(parse().groupHold).isEqualTo(Duration.ofMinutes(30));
    assertThat(parse("--group-hold=1h").groupHold).isEqualTo(Duration.ofHours(1));
    assertThat(parse("--group-hold=24h").problems()).isEmpty();
  }

  @Test
  void thereIsAWebhookOnlyWhereThatIsSaid() {
    assertThat(parse().webhookPort).isNull();
    assertThat(parse("--webhook-port=0").webhookPort).isZero();
    assertThat(parse("--webhook-port=8443").webhookName).isEqualTo("gpudra-webhook");
    assertThat(parse("--webhook-port=8443").webhookCertificates).isNull();
  }

  @Test
  void aShortLeaseShortensCallsUnlessToldOtherwise() {
    String[] quick = {"--lease-duration=4s", "--renew-deadline=3s", "--retry-period=500ms"};

    assertThat(parse(quick).apiTimeout()).isEqualTo(Duration.ofSeconds(2));
    assertThat(parse(quick).problems()).isEmpty();
    assertThat(parse("--api-timeout=3s").apiTimeout()).isEqualTo(Duration.ofSeconds(3));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--driver-name=gpu.resource.very-long.example.com | --driver-name: \"gpu.resource.very-long.example.com\" has 34 characters, at most 26 are possible with kubelet 1.27-1.30",
        "--driver-name=Gpu.example.com | --driver-name: \"Gpu.example.com\" is no DNS subdomain in lower case",
        "--driver-name=gpu..example.com | --driver-name: \"gpu..example.com\" is no DNS subdomain in lower case",
        "--driver-name=-gpu.example.com | --driver-name: \"-gpu.example.com\" is no DNS subdomain in lower case",
        "--workers=0 | --workers: 0 is not between 1 and 64",
        "--gate-patience=1441m | --gate-patience: 86460 s are more than 24 h",
        "--group-patience=25h | --group-patience: 90000 s are more than 24 h",
        "--group-hold=9999999h | --group-hold: 35999996400 s are more than 24 h",
        "--lease-duration=10s | --lease-duration must be longer than --renew-deadline",
      })
  void whatCannotWorkIsTold(String arg, String problem) {
    assertThat(parse(arg).problems()).containsExactly(problem);
  }

  @ParameterizedTest
  @CsvSource({
    "gpu.resource.example.com, false",
    "gpu.example.com, true",
    "abcdefghijklmnopqrstuvwxyz, true"
  })
  void aNameMayBeUnusual(String name, boolean unusual) {
    assertThat(DriverName.problem(name)).isEmpty();
    assertThat(DriverName.unusual(name)).isEqualTo(unusual);
  }

  @Test
  void theProcessEndsWithTwoAndSaysWhy() {
    StringWriter err = new StringWriter();
    CommandLine command = ControllerMain.command().setErr(new PrintWriter(err, true));

    assertThat(command.execute("--workers=0", "--driver-name=Gpu")).isEqualTo(2);
    assertThat(err.toString().lines())
        .containsExactly(
            "--driver-name: \"Gpu\" is no DNS subdomain in lower case",
            "--workers: 0 is not between 1 and 64");
  }

  @Test
  void helpNamesEveryOptionWithItsEnvironment() {
    StringWriter out = new StringWriter();
    CommandLine command = ControllerMain.command().setOut(new PrintWriter(out, true));

    assertThat(command.execute("--help")).isZero();
    assertThat(out.toString())
        .contains("--driver-name", "DRIVER_NAME", "--lease-duration", "Exit codes:");
    assertThat(command.execute("--version")).isZero();
    assertThat(out.toString()).contains("gpudra-controller ");
  }

  @Test
  void aClusterThatCannotBeDescribedEndsTheProcessWithOne() {
    assertThat(ControllerMain.command().execute("--kubeconfig=/does/not/exist")).isEqualTo(1);
  }
}
