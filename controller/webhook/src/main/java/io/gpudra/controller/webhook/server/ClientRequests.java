package io.gpudra.controller.webhook.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Ascii;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles one client's requests one by one; closes clients that pipeline requests. */
@SuppressWarnings("FutureReturnValueIgnored") // closing needs no result
final class ClientRequests extends SimpleChannelInboundHandler<HttpObject> {
  private static final Logger log = LoggerFactory.getLogger(ClientRequests.class);

  /** Texts of errors may quote the request, and answers are not counted. */
  private static final int MAX_TEXT = 300;

  private final ClientConnections clients;
  private final int maxBytes;
  private final Executor reviewing;
  private final ReviewHandler reviewHandler;
  private boolean asking;
  private boolean keepAlive;

  /** The request being received; null if there is none, or if it was rejected. */
  private @Nullable ByteArrayOutputStream body;

  ClientRequests(
      ClientConnections clients,
      ServerLimits limits,
      Executor reviewing,
      ReviewHandler reviewHandler) {
    this.clients = clients;
    this.maxBytes = limits.body();
    this.reviewing = reviewing;
    this.reviewHandler = reviewHandler;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    clients.came(context.channel());
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
    if (asking) {
      context.close();
      return;
    }
    if (part instanceof HttpRequest request) {
      begin(context.channel(), request);
    }
    if (part instanceof HttpContent content) {
      accept(context.channel(), content);
    }
  }

  private void begin(Channel client, HttpRequest request) {
    keepAlive = HttpUtil.isKeepAlive(request);
    clients.sends(client);
    if (!request.decoderResult().isSuccess()) {
      refuse(client, HttpResponseStatus.BAD_REQUEST, "invalid HTTP request");
    } else if (!request.method().equals(HttpMethod.POST)) {
      refuse(client, HttpResponseStatus.METHOD_NOT_ALLOWED, "an AdmissionReview is sent by POST");
    } else {
      body = new ByteArrayOutputStream();
      if (HttpUtil.is100ContinueExpected(request)) {
        client.writeAndFlush(
            new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
      }
    }
  }

  private void accept(Channel client, HttpContent content) {
    ByteArrayOutputStream coming = body;
    if (coming == null) {
      return;
    }
    ByteBuf bytes = content.content();
    int more = bytes.readableBytes();
    if (coming.size() + more > maxBytes) {
      refuse(
          client,
          HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
          "request body exceeds %d bytes".formatted(maxBytes));
      return;
    }
    coming.write(bytes.hasArray() ? bytes.array() : copied(bytes), start(bytes), more);
    clients.keeps(client, more);
    // Counting it may have rejected this request.
    if (body != null && content instanceof LastHttpContent) {
      ask(client, coming.toByteArray());
    }
  }

  private static int start(ByteBuf bytes) {
    return bytes.hasArray() ? bytes.arrayOffset() + bytes.readerIndex() : 0;
  }

  private static byte[] copied(ByteBuf bytes) {
    byte[] copy = new byte[bytes.readableBytes()];
    bytes.getBytes(bytes.readerIndex(), copy);
    return copy;
  }

  private void ask(Channel client, byte[] request) {
    body = null;
    asking = true;
    reviewing.execute(new Review(client, request));
  }

  /** A complete request. */
  private final class Review implements Runnable, ReviewHandler.Answer {
    private final Channel client;
    private final AtomicReference<byte[]> request;
    private final Runnable end;

    Review(Channel client, byte[] request) {
      this.client = client;
      this.request = new AtomicReference<>(request);
      this.end = clients.asks(client, this.request);
    }

    @Override
    public void run() {
      byte[] taken = request.getAndSet(null);
      if (taken != null) {
        try {
          review(taken);
        } finally {
          client.eventLoop().execute(end);
        }
      }
    }

    private void review(byte[] taken) {
      try {
        reviewHandler.review(ClientConnections.address(client), taken, this);
      } catch (ReviewTooLargeException e) {
        answer(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE, text("" + e.getMessage()));
      } catch (IOException e) {
        answer(HttpResponseStatus.BAD_REQUEST, text("" + e.getMessage()));
      } catch (RuntimeException e) {
        log.error("a request could not be answered", e);
        answer(HttpResponseStatus.INTERNAL_SERVER_ERROR, text("" + e));
      }
    }

    @Override
    public boolean isExpected() {
      return client.isActive();
    }

    @Override
    public void accept(byte[] json) {
      answer(HttpResponseStatus.OK, json);
    }

    private void answer(HttpResponseStatus status, byte[] content) {
      client.eventLoop().execute(() -> send(client, status, content));
    }
  }

  private static byte[] text(String words) {
    return (Ascii.truncate(words, MAX_TEXT, "…") + "\n").getBytes(UTF_8);
  }

  private void send(Channel client, HttpResponseStatus status, byte[] content) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(content));
    response
        .headers()
        .set(
            HttpHeaderNames.CONTENT_TYPE,
            status.equals(HttpResponseStatus.OK)
                ? HttpHeaderValues.APPLICATION_JSON
                : HttpHeaderValues.TEXT_PLAIN)
        .set(HttpHeaderNames.CONTENT_LENGTH, content.length);
    keepAlive &= !clients.last();
    HttpUtil.setKeepAlive(response, keepAlive);
    client.writeAndFlush(response).addListener(sent -> sent(client));
  }

  private void sent(Channel client) {
    asking = false;
    clients.answered(client);
    if (!keepAlive) {
      client.close();
    }
  }

  /** Rejects the request without reading the rest. */
  private void refuse(Channel client, HttpResponseStatus status, String why) {
    body = null;
    keepAlive = false;
    asking = true;
    clients.refuses(client);
    send(client, status, text(why));
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event == ClientConnections.TOO_MUCH) {
      refuse(
          context.channel(),
          HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
          "all requests together exceed the limit, and this one is large");
    } else {
      context.fireUserEventTriggered(event);
    }
  }

  /** The client disconnected or does not speak TLS. Neither is logged. */
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }
}
