package io.gpudra.simulator.http;

import com.google.common.base.Splitter;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.gpudra.simulator.api.ApiError;
import io.gpudra.simulator.api.Refusal;
import io.gpudra.simulator.kinds.Kind;
import io.gpudra.simulator.server.ObjectServer;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Every request: reads it, lets faults happen, has it done, answers. Watches leave Jetty's pool for
 * threads of their own, because a bounded pool would starve.
 */
final class HttpApi extends Handler.Abstract {
  private static final Logger LOG = LoggerFactory.getLogger(HttpApi.class);

  /** For each write to a socket the JDK copies all that is handed over. */
  private static final int SLICE = 1 << 17;

  private final ObjectServer server;
  private final Faults faults;
  private final RequestLog log;
  private final Discovery discovery;
  private final ExecutorService watches =
      Executors.newCachedThreadPool(
          new ThreadFactoryBuilder().setNameFormat("watch").setDaemon(true).build());

  HttpApi(ObjectServer server, Faults faults, RequestLog log) {
    this.server = server;
    this.faults = faults;
    this.log = log;
    this.discovery = new Discovery(server.kinds());
  }

  /** A request with what is needed to answer it. */
  private record Exchange(Request request, Response response, Callback done) {

    EndPoint connection() {
      return request.getConnectionMetaData().getConnection().getEndPoint();
    }

    /** Breaks the connection without an answer. */
    void drop() {
      connection().close();
      done.failed(new IOException("dropped on purpose"));
    }

    void send(Reply reply) throws IOException {
      response.setStatus(reply.code());
      response.getHeaders().put("Content-Type", reply.contentType());
      response.getHeaders().put("Audit-Id", "-");
      response.getHeaders().put("Content-Length", reply.body().remaining());
      for (String warning : reply.warnings()) {
        response.getHeaders().add("Warning", "299 - \"" + warning.replace("\"", "\\\"") + "\"");
      }
      if (reply.code() == 429) {
        response.getHeaders().put("Retry-After", "1");
      }
      write(reply.body());
      done.succeeded();
    }

    private void write(ByteBuffer body) throws IOException {
      while (body.remaining() > SLICE) {
        Content.Sink.write(response, false, body.slice(body.position(), SLICE));
        body.position(body.position() + SLICE);
      }
      Content.Sink.write(response, true, body);
    }
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    Exchange exchange = new Exchange(request, response, callback);
    try {
      List<String> path = path(request);
      Optional<Reply> fixed =
          request.getMethod().equals("GET") ? discovery.find(path) : Optional.empty();
      if (fixed.isPresent()) {
        exchange.send(fixed.get());
      } else if (path.isEmpty() || !path.get(0).startsWith("api")) {
        exchange.send(Reply.unknownPath());
      } else {
        objects(Call.parse(request.getMethod(), path, query(request), headers(request)), exchange);
      }
    } catch (ApiError e) {
      exchange.send(Reply.error(e));
    } catch (RuntimeException e) {
      LOG.error("request failed path={}", request.getHttpURI(), e);
      exchange.send(Reply.error(Refusal.internal("" + e)));
    }
    return true;
  }

  private void objects(Call call, Exchange exchange) throws IOException, InterruptedException {
    byte[] body = Content.Source.asInputStream(exchange.request()).readAllBytes();
    Optional<Faults.Fault> fault = faults.next(call);
    Faults.Fault.Kind how = fault.map(Faults.Fault::kind).orElse(Faults.Fault.Kind.DELAY);
    if (how == Faults.Fault.Kind.DROP_BEFORE) {
      log.add(call, 0);
      exchange.drop();
      return;
    }
    if (fault.isPresent()) {
      faults.await(fault.get());
    }
    Optional<Kind> kind = server.kinds().find(call.resource());
    if (call.verb().equals("watch") && kind.isPresent() && how != Faults.Fault.Kind.ANSWER) {
      watch(call, kind.get(), exchange);
      return;
    }
    Reply reply =
        how == Faults.Fault.Kind.ANSWER
            ? answer(fault.orElseThrow().code())
            : kind.map(known -> reply(call, known, body)).orElseGet(() -> unknown(call));
    log.add(call, how == Faults.Fault.Kind.DROP_AFTER ? 0 : reply.code());
    if (how == Faults.Fault.Kind.DROP_AFTER) {
      exchange.drop();
    } else {
      exchange.send(reply);
    }
  }

  private Reply reply(Call call, Kind kind, byte[] body) {
    try {
      return call.verb().equals("list")
          ? new Lists(server.store()).list(call, kind)
          : new Objects(server).handle(call, kind, body);
    } catch (ApiError e) {
      return Reply.error(e);
    }
  }

  /** Below a group that is served, what is not there is missed in JSON. */
  private Reply unknown(Call call) {
    boolean served =
        server.kinds().all().stream()
            .anyMatch(kind -> kind.resource().group().equals(call.resource().group()));
    return served ? Reply.error(Refusal.unknownPath()) : Reply.unknownPath();
  }

  private static Reply answer(int code) {
    String reason =
        switch (code) {
          case 409 -> "Conflict";
          case 410 -> "Expired";
          case 429 -> "TooManyRequests";
          default -> "InternalError";
        };
    return Reply.error(Refusal.of(code, reason, "answered on purpose"));
  }

  private void watch(Call call, Kind kind, Exchange exchange) {
    Watch watch = new Watch(server.store(), call, kind);
    log.add(call, 200);
    watches.execute(() -> follow(watch, exchange));
  }

  private void follow(Watch watch, Exchange exchange) {
    long cuts = faults.cuts();
    EndPoint connection = exchange.connection();
    BooleanSupplier stopped =
        () -> faults.cuts() != cuts || !connection.isOpen() || isGone(connection);
    exchange.response().setStatus(200);
    exchange.response().getHeaders().put("Content-Type", "application/json");
    try {
      watch.run(
          bytes -> Content.Sink.write(exchange.response(), false, ByteBuffer.wrap(bytes)),
          faults,
          stopped);
      if (stopped.getAsBoolean()) {
        exchange.drop();
      } else {
        Content.Sink.write(exchange.response(), true, ByteBuffer.allocate(0));
        exchange.done().succeeded();
      }
    } catch (IOException e) {
      // The client went away: the ordinary end of a watch.
      exchange.done().failed(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      exchange.drop();
    } catch (RuntimeException e) {
      LOG.error("watch failed path={}", exchange.request().getHttpURI(), e);
      exchange.done().failed(e);
    }
  }

  /** An idle watch writes nothing, so only a read shows that its client has hung up. */
  private static boolean isGone(EndPoint connection) {
    try {
      return connection.getTransport() instanceof SocketChannel channel
          && channel.read(ByteBuffer.allocate(1)) < 0;
    } catch (IOException e) {
      return true;
    }
  }

  /** Ends all watches. */
  void stopWatches() {
    watches.shutdownNow();
  }

  private static List<String> path(Request request) {
    String raw = request.getHttpURI().getPath();
    return Splitter.on('/')
        .omitEmptyStrings()
        .splitToStream(raw)
        .map(part -> URLDecoder.decode(part, StandardCharsets.UTF_8))
        .toList();
  }

  private static Map<String, String> query(Request request) throws Exception {
    Map<String, String> query = new HashMap<>();
    for (Fields.Field field : Request.extractQueryParameters(request)) {
      query.putIfAbsent(field.getName(), field.getValue());
    }
    return query;
  }

  private static Map<String, String> headers(Request request) {
    Map<String, String> headers = new HashMap<>();
    for (HttpField field : request.getHeaders()) {
      headers.putIfAbsent(field.getName().toLowerCase(Locale.ROOT), field.getValue());
    }
    return headers;
  }
}
