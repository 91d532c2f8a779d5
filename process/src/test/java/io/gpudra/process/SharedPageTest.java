package io.gpudra.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SharedPageTest {
  private static final int CLIENTS = 64;

  private final ManualTime time = new ManualTime();
  private int rendered;
  private final SharedPage page = new SharedPage(() -> page("page " + ++rendered), time::getTick);
  private final HttpPages pages = new HttpPages(false);
  private final EventLoop loop = new DefaultEventLoop();
  private final ConnectionLimiter clients =
      new ConnectionLimiter(CLIENTS, Duration.ofMinutes(1), loop);

  @AfterEach
  @SuppressWarnings("FutureReturnValueIgnored")
  void end() {
    loop.shutdownGracefully();
  }

  private static PageContent.Text page(String text) {
    return new PageContent.Text(200, "text/plain", text);
  }

  private FullHttpResponse ask() {
    EmbeddedChannel client =
        new EmbeddedChannel(new SingleRequestHandler(clients, clients, Runnable::run, pages));
    client.writeInbound(new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/metrics"));
    return client.readOutbound();
  }

  @Test
  void allClientsOfASecondShareOneRenderingAndItsBytes() {
    pages.add("/metrics", page);
    FullHttpResponse first = ask();
    assertThat(first.content().toString(UTF_8)).isEqualTo("page 1");
    for (int i = 1; i < CLIENTS; i++) {
      FullHttpResponse next = ask();
      assertThat(next.content().array()).isSameAs(first.content().array());
      assertThat(next.content().toString(UTF_8)).isEqualTo("page 1");
    }
    assertThat(rendered).isEqualTo(1);
  }

  @Test
  void afterASecondThePageIsNew() {
    PageContent first = page.answer(ImmutableMap.of());
    time.pass(Duration.ofSeconds(1).toNanos() - 1);
    assertThat(page.answer(ImmutableMap.of())).isSameAs(first);
    time.pass(1);
    assertThat(page.answer(ImmutableMap.of())).isNotSameAs(first);
    assertThat(rendered).isEqualTo(2);
  }

  @Test
  void aLargePageIsRenderedLessOften() {
    String large = "x".repeat(5 << 20);
    SharedPage shared = new SharedPage(() -> page(large + ++rendered), time::getTick);
    for (int i = 0; i < 30; i++) {
      assertThat(shared.answer(ImmutableMap.of())).isInstanceOf(PageContent.Text.class);
      time.pass(Duration.ofSeconds(1).toNanos());
    }
    assertThat(rendered).isEqualTo(6);
  }
}
