package io.gpudra.controller.dashboard;

import com.google.common.io.BaseEncoding;
import io.gpudra.process.LoopbackHost;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.cookie.Cookie;
import io.netty.handler.codec.http.cookie.CookieHeaderNames.SameSite;
import io.netty.handler.codec.http.cookie.DefaultCookie;
import io.netty.handler.codec.http.cookie.ServerCookieDecoder;
import io.netty.handler.codec.http.cookie.ServerCookieEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.List;

/**
 * Authenticates requests by the run's token. Other users of the machine do not have it, and neither
 * do web sites that make a DNS name of theirs resolve to this address.
 */
final class TokenAuth {
  static final String START = "/";
  private static final String TOKEN = "token";
  private static final int TOKEN_BYTES = 32;

  private final String token;
  private final String cookie;

  /** The result for one request. */
  enum Verdict {
    /** The request has the cookie: it is answered. */
    IN,
    /**
     * The request has the token: the reply sets the cookie and redirects to the address without it.
     */
    WELCOME,
    /** The request has neither token nor cookie. */
    STRANGER,
    /** The host of the request is not the loopback address, or another page sent it. */
    MISLED,
    /** Only GET is supported. */
    NOT_GET
  }

  /**
   * Accepts only this token.
   *
   * @param port is part of the cookie's name, since browsers share cookies between ports
   */
  TokenAuth(String token, int port) {
    this.token = token;
    this.cookie = "gpudra-" + port;
  }

  /** A new random token. */
  static String newToken() {
    byte[] bytes = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(bytes);
    return BaseEncoding.base64Url().omitPadding().encode(bytes);
  }

  /** The address to open first, with the token. */
  String address(String base) {
    return base + START + "?" + TOKEN + "=" + token;
  }

  Verdict authenticate(HttpRequest request) {
    if (misled(request.headers())) {
      return Verdict.MISLED;
    }
    if (!request.method().equals(HttpMethod.GET)) {
      return Verdict.NOT_GET;
    }
    if (hasToken(request)) {
      return Verdict.WELCOME;
    }
    return hasCookie(request.headers()) ? Verdict.IN : Verdict.STRANGER;
  }

  private static boolean misled(HttpHeaders headers) {
    return !LoopbackHost.isNamed(headers) || isUsedByOthers(headers);
  }

  private static boolean isUsedByOthers(HttpHeaders headers) {
    return LoopbackHost.isOfAnotherSite(headers)
        && !headers.get("Sec-Fetch-Mode", "").equals("navigate");
  }

  private boolean hasToken(HttpRequest request) {
    QueryStringDecoder uri = new QueryStringDecoder(request.uri());
    return uri.rawPath().equals(START)
        && uri.parameters().getOrDefault(TOKEN, List.of()).stream().anyMatch(this::isToken);
  }

  private boolean hasCookie(HttpHeaders headers) {
    return headers.getAll(HttpHeaderNames.COOKIE).stream()
        .flatMap(header -> ServerCookieDecoder.STRICT.decodeAll(header).stream())
        .filter(one -> one.name().equals(cookie))
        .map(Cookie::value)
        .anyMatch(this::isToken);
  }

  /** Compares in constant time. */
  private boolean isToken(String given) {
    return MessageDigest.isEqual(
        given.getBytes(StandardCharsets.UTF_8), token.getBytes(StandardCharsets.UTF_8));
  }

  /** The cookie for the browser's next requests. */
  String setCookie() {
    DefaultCookie given = new DefaultCookie(cookie, token);
    given.setPath(START);
    given.setHttpOnly(true);
    given.setSameSite(SameSite.Strict);
    return ServerCookieEncoder.STRICT.encode(given);
  }
}
