package io.gpudra.controller.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableMap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;

/** HTTP responses, each with the headers that restrict what the browser may do with it. */
final class PageResponse {
  private static final ImmutableMap<String, String> ON_ALL =
      ImmutableMap.of(
          "Content-Security-Policy",
          "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
              + " object-src 'none'; require-trusted-types-for 'script'",
          "X-Content-Type-Options",
          "nosniff",
          "Referrer-Policy",
          "no-referrer",
          "Cache-Control",
          "no-store",
          "Cross-Origin-Resource-Policy",
          "same-origin",
          "Cross-Origin-Opener-Policy",
          "same-origin");

  private PageResponse() {}

  /** A complete response. */
  static FullHttpResponse of(HttpResponseStatus status, String type, String text) {
    ByteBuf body = Unpooled.copiedBuffer(text, UTF_8);
    FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body);
    ON_ALL.forEach(response.headers()::set);
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, type)
        .set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes())
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    return response;
  }

  /** A plain text response. */
  static FullHttpResponse text(HttpResponseStatus status, String text) {
    return of(status, "text/plain; charset=utf-8", text + "\n");
  }

  /**
   * Redirects to the address without the token, which keeps the token out of the browser's history.
   */
  static FullHttpResponse onwards(String setCookie) {
    FullHttpResponse response = text(HttpResponseStatus.SEE_OTHER, "come in");
    response
        .headers()
        .set(HttpHeaderNames.LOCATION, TokenAuth.START)
        .set(HttpHeaderNames.SET_COOKIE, setCookie);
    return response;
  }

  /** The head of the response that streams events. */
  static HttpResponse events() {
    HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    ON_ALL.forEach(response.headers()::set);
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/event-stream; charset=utf-8");
    HttpUtil.setTransferEncodingChunked(response, true);
    return response;
  }
}
