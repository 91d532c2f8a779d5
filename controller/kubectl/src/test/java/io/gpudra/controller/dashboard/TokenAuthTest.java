package io.gpudra.controller.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.dashboard.TokenAuth.Verdict;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is let in. */
class TokenAuthTest {
  private static final String TOKEN = "the-token-of-this-run";
  private static final TokenAuth GATE = new TokenAuth(TOKEN, 4711);
  private static final String COOKIE = "gpudra-4711=" + TOKEN;

  private static DefaultHttpRequest get(String path) {
    DefaultHttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, path);
    request.headers().set("Host", "127.0.0.1:4711");
    return request;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/?token=the-token-of-this-run       |                                    | WELCOME",
        "/?x=1&token=the-token-of-this-run   |                                    | WELCOME",
        "/?token=the-token-of-this-ru        |                                    | STRANGER",
        "/?token=                            |                                    | STRANGER",
        "/?token                             |                                    | STRANGER",
        "/events?token=the-token-of-this-run |                                    | STRANGER",
        "/                                   |                                    | STRANGER",
        "/events                             |                                    | STRANGER",
        "/                                   | gpudra-4711=the-token-of-this-run  | IN",
        "/explain?kind=pod                   | a=b; gpudra-4711=the-token-of-this-run | IN",
        "/                                   | gpudra-4711=the-token-of-another   | STRANGER",
        "/                                   | gpudra-4712=the-token-of-this-run  | STRANGER",
        "/                                   | gpudra-4711=                       | STRANGER",
        "/                                   | gpudra-4711                        | STRANGER",
      })
  void oneNeedsTheTokenOnceAndThenItsCookie(String path, @Nullable String cookie, Verdict verdict) {
    DefaultHttpRequest request = get(path);
    if (cookie != null) {
      request.headers().set("Cookie", cookie);
    }

    assertThat(GATE.authenticate(request)).isEqualTo(verdict);
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:4711, IN",
    "127.0.0.1, IN",
    "localhost:9000, IN",
    "LOCALHOST:4711, IN",
    "[::1]:4711, IN",
    "evil.example.com, MISLED",
    "evil.example.com:4711, MISLED",
    "127.0.0.1.evil.example.com:4711, MISLED",
    "localhost.evil.example.com, MISLED",
    "xlocalhost:4711, MISLED",
    "10.0.0.1:4711, MISLED",
    "0.0.0.0:4711, MISLED",
    "127.0.0.1:4711@evil.example.com, MISLED",
    "'', MISLED",
  })
  void aNameThatSomebodyPointedHereIsRefusedEvenWithTheCookie(String host, Verdict verdict) {
    DefaultHttpRequest request = get("/");
    request.headers().set("Host", host).set("Cookie", COOKIE);

    assertThat(GATE.authenticate(request)).isEqualTo(verdict);
  }

  @Test
  void aNameThatSomebodyPointedHereIsRefusedEvenWithTheToken() {
    DefaultHttpRequest request = get("/?token=" + TOKEN);
    request.headers().set("Host", "evil.example.com");

    assertThat(GATE.authenticate(request)).isEqualTo(Verdict.MISLED);
  }

  @Test
  void aRequestNamesExactlyOneHost() {
    DefaultHttpRequest none = get("/");
    none.headers().set("Cookie", COOKIE).remove("Host");
    DefaultHttpRequest two = get("/");
    two.headers().set("Cookie", COOKIE).add("Host", "evil.example.com");

    assertThat(GATE.authenticate(none)).isEqualTo(Verdict.MISLED);
    assertThat(GATE.authenticate(two)).isEqualTo(Verdict.MISLED);
  }

  @ParameterizedTest
  @CsvSource({
    "same-origin, cors, IN",
    "none, navigate, IN",
    "cross-site, navigate, IN",
    "cross-site, no-cors, MISLED",
    "same-site, no-cors, MISLED",
    "same-site, cors, MISLED",
  })
  void anotherPageMayLinkHereButTakeNothing(String site, String mode, Verdict verdict) {
    DefaultHttpRequest request = get("/events");
    request.headers().set("Cookie", COOKIE).set("Sec-Fetch-Site", site).set("Sec-Fetch-Mode", mode);

    assertThat(GATE.authenticate(request)).isEqualTo(verdict);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "BREW"})
  void onlyGetIsThere(String method) {
    DefaultHttpRequest request = get("/");
    request.setMethod(HttpMethod.valueOf(method));
    request.headers().set("Cookie", COOKIE);

    assertThat(GATE.authenticate(request)).isEqualTo(Verdict.NOT_GET);
  }

  @Test
  void theCookieIsForThisHostAloneAndNotForScripts() {
    assertThat(GATE.setCookie()).isEqualTo(COOKIE + "; Path=/; HTTPOnly; SameSite=Strict");
  }

  @Test
  void eachRunHasATokenOfItsOwn() {
    assertThat(TokenAuth.newToken())
        .matches("[A-Za-z0-9_-]{43}")
        .isNotEqualTo(TokenAuth.newToken());
  }
}
