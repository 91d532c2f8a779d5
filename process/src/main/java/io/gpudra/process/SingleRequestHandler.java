package io.gpudra.process;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Answers a client's first request and closes the connection; further input is dropped. */
@SuppressWarnings("FutureReturnValueIgnored") // closing needs no follow-up
final class SingleRequestHandler extends SimpleChannelInboundHandler<HttpObject> {

  private final ConnectionLimiter read;
  private final ConnectionLimiter answered;
  private final Executor asking;
  private final HttpPages pages;
  private boolean accepted;

  SingleRequestHandler(
      ConnectionLimiter read, ConnectionLimiter answered, Executor asking, HttpPages pages) {
    this.read = read;
    this.answered = answered;
    this.asking = asking;
    this.pages = pages;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    read.add(context.channel());
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
    if (!accepted && part instanceof HttpRequest request) {
      accepted = true;
      accept(context.channel(), request);
    }
  }

  private void accept(Channel client, HttpRequest request) {
    read.remove(client);
    answered.add(client);
    try {
      asking.execute(() -> answer(client, request));
    } catch (RejectedExecutionException e) {
      client.close();
    }
  }

  private void answer(Channel client, HttpRequest request) {
    if (client.isActive()) {
      PageContent pageContent = pages.answer(request);
      if (pageContent instanceof PageContent.Download download) {
        client.write(head(download));
        client.write(download.file());
        client
            .writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT)
            .addListener(ChannelFutureListener.CLOSE);
      } else if (pageContent instanceof PageContent.Text text) {
        client.writeAndFlush(response(text)).addListener(ChannelFutureListener.CLOSE);
      }
    }
  }

  private static HttpResponse head(PageContent.Download answer) {
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    describe(head, HttpHeaderValues.APPLICATION_OCTET_STREAM, answer.file().count());
    return head;
  }

  private static FullHttpResponse response(PageContent.Text answer) {
    ByteBuf body = answer.body().duplicate();
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(answer.status()), body);
    describe(response, answer.type(), body.readableBytes());
    return response;
  }

  private static void describe(HttpResponse response, CharSequence type, long bytes) {
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, type)
        .set(HttpHeaderNames.CONTENT_LENGTH, bytes)
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
  }

  /** The client has disconnected or does not speak HTTP. Neither is logged. */
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }
}
