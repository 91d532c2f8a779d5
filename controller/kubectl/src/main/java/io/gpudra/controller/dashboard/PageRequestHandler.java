package io.gpudra.controller.dashboard;

import static io.netty.handler.codec.http.HttpResponseStatus.BAD_REQUEST;
import static io.netty.handler.codec.http.HttpResponseStatus.FORBIDDEN;
import static io.netty.handler.codec.http.HttpResponseStatus.INTERNAL_SERVER_ERROR;
import static io.netty.handler.codec.http.HttpResponseStatus.METHOD_NOT_ALLOWED;
import static io.netty.handler.codec.http.HttpResponseStatus.NOT_FOUND;
import static io.netty.handler.codec.http.HttpResponseStatus.NO_CONTENT;
import static io.netty.handler.codec.http.HttpResponseStatus.OK;
import static io.netty.handler.codec.http.HttpResponseStatus.SERVICE_UNAVAILABLE;

import io.gpudra.controller.view.explain.ExplainTarget;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connection: its first request is answered, further input is dropped. */
final class PageRequestHandler extends SimpleChannelInboundHandler<HttpObject> {
  private static final Logger LOG = LoggerFactory.getLogger(PageRequestHandler.class);

  private final Context dashboardContext;
  private boolean asked;

  /**
   * The parts of the server.
   *
   * @param explaining returns an explanation; runs on {@code explainers}, since it may take seconds
   */
  record Context(
      PendingConnections pendingConnections,
      SseBroadcaster sseBroadcaster,
      Function<ExplainTarget, String> explaining,
      Executor explainers) {}

  PageRequestHandler(Context dashboardContext) {
    this.dashboardContext = dashboardContext;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    dashboardContext.pendingConnections().came(context.channel());
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
    if (!asked && part instanceof HttpRequest request) {
      asked = true;
      accept(context, request);
    }
  }

  private void accept(ChannelHandlerContext context, HttpRequest request) {
    if (request.decoderResult().isFailure()) {
      end(context, PageResponse.text(BAD_REQUEST, "invalid HTTP request"));
      return;
    }
    switch (dashboardContext.pendingConnections().authenticate(context.channel(), request)) {
      case IN -> show(context, request);
      case WELCOME ->
          end(context, PageResponse.onwards(dashboardContext.pendingConnections().setCookie()));
      case NOT_GET -> end(context, onlyGet());
      case MISLED ->
          end(
              context,
              PageResponse.text(FORBIDDEN, "this page is only served on the loopback address"));
      case STRANGER ->
          end(
              context,
              PageResponse.text(
                  FORBIDDEN,
                  "Open the address that kubectl gpudra dashboard printed, with its token. Each run"
                      + " has a new one."));
    }
  }

  private static FullHttpResponse onlyGet() {
    FullHttpResponse response = PageResponse.text(METHOD_NOT_ALLOWED, "only GET");
    response.headers().set(HttpHeaderNames.ALLOW, HttpMethod.GET);
    return response;
  }

  private void show(ChannelHandlerContext context, HttpRequest request) {
    QueryStringDecoder uri = new QueryStringDecoder(request.uri());
    switch (uri.rawPath()) {
      case "/events" -> follow(context);
      case "/explain" -> explain(context, uri);
      case "/favicon.ico" -> end(context, PageResponse.of(NO_CONTENT, "image/x-icon", ""));
      default ->
          end(
              context,
              StaticFiles.at(uri.rawPath())
                  .map(file -> PageResponse.of(OK, file.type(), file.content()))
                  .orElseGet(() -> PageResponse.text(NOT_FOUND, "not found")));
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the connection
  private void follow(ChannelHandlerContext context) {
    if (dashboardContext.sseBroadcaster().hasRoom()) {
      dashboardContext.pendingConnections().stays(context.channel());
      context.channel().writeAndFlush(PageResponse.events());
      dashboardContext.sseBroadcaster().follow(context.channel());
    } else {
      end(context, PageResponse.text(SERVICE_UNAVAILABLE, "too many windows show this page"));
    }
  }

  private void explain(ChannelHandlerContext context, QueryStringDecoder uri) {
    Optional<ExplainTarget> asked = ExplainEndpoint.asked(uri.parameters());
    if (asked.isEmpty()) {
      end(
          context,
          PageResponse.text(BAD_REQUEST, "kind (pod or claim), namespace and name are missing"));
      return;
    }
    try {
      dashboardContext.explainers().execute(() -> end(context, explanation(asked.get())));
    } catch (RejectedExecutionException e) {
      end(context, PageResponse.text(SERVICE_UNAVAILABLE, "too many requests"));
    }
  }

  private FullHttpResponse explanation(ExplainTarget explainTarget) {
    try {
      return PageResponse.text(OK, dashboardContext.explaining().apply(explainTarget));
    } catch (RuntimeException e) {
      LOG.error("explaining failed asked={}", explainTarget, e);
      return PageResponse.text(
          INTERNAL_SERVER_ERROR, "internal error, see the terminal of the command");
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the listener closes the connection
  private static void end(ChannelHandlerContext context, FullHttpResponse response) {
    context.channel().writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
  }

  /** The window was closed, or sent invalid HTTP. Neither is logged. */
  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // closing needs no result
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }
}
