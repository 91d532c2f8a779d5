package io.gpudra.controller.webhook.certificate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.gpudra.controller.client.JsonCalls;
import io.gpudra.controller.client.JsonCalls.Answer;
import io.gpudra.controller.client.JsonCalls.Form;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KubeCertificateStoreTest {
  private static final String GROUP = "/apis/admissionregistration.k8s.io/v1/";
  private static final String VALIDATING = GROUP + "validatingwebhookconfigurations/hook";
  private static final String MUTATING = GROUP + "mutatingwebhookconfigurations/hook";
  private static final String BUNDLE = Base64.getEncoder().encodeToString("ca".getBytes(UTF_8));

  private final Map<String, Answer> answers = new HashMap<>();
  private final List<String> patched = new ArrayList<>();
  private final JsonCalls calls = mock(JsonCalls.class);
  private final KubeCertificateStore store = store(/* mutating= */ true);

  private KubeCertificateStore store(boolean mutating) {
    return new KubeCertificateStore(calls, new CertificateObjects("ns", "hook", mutating));
  }

  @BeforeEach
  void serve() throws IOException {
    when(calls.get(anyString())).thenAnswer(call -> answers.get(call.<String>getArgument(0)));
    when(calls.send(eq("PATCH"), anyString(), eq(Form.STRATEGIC_MERGE_PATCH), anyString()))
        .thenAnswer(
            call -> {
              patched.add(call.getArgument(1) + " " + call.getArgument(3));
              return new Answer(200, "{}");
            });
  }

  private void configured(String path, String caBundle) {
    answers.put(
        path,
        new Answer(
            200,
            "{\"webhooks\": [{\"name\": \"a\", \"clientConfig\": {\"caBundle\": \"%s\"}}]}"
                .formatted(caBundle)));
  }

  @Test
  void bothConfigurationsTrustTheSameBundle() throws IOException {
    configured(VALIDATING, BUNDLE);
    configured(MUTATING, BUNDLE);
    assertThat(store.trusted("ca")).isTrue();

    configured(MUTATING, "b2xk");
    assertThat(store.trusted("ca")).isFalse();
    store.trust("ca");

    assertThat(patched)
        .hasSize(2)
        .anyMatch(patch -> patch.startsWith(VALIDATING) && patch.contains(BUNDLE))
        .anyMatch(patch -> patch.startsWith(MUTATING) && patch.contains(BUNDLE));
  }

  @ParameterizedTest
  @ValueSource(ints = {403, 404})
  void withoutAMutatingWebhookTheOtherCounts(int code) throws IOException {
    configured(VALIDATING, BUNDLE);
    answers.put(MUTATING, new Answer(code, ""));
    assertThat(store.trusted("ca")).isTrue();

    store.trust("ca");
    assertThat(patched).hasSize(1);
  }

  @Test
  void withoutGatesNoMutatingWebhookIsAskedFor() throws IOException {
    configured(VALIDATING, BUNDLE);
    KubeCertificateStore without = store(/* mutating= */ false);
    assertThat(without.trusted("ca")).isTrue();
    without.trust("ca");

    verify(calls, never()).get(MUTATING);
    assertThat(patched).hasSize(1);
  }

  @Test
  void anAnswerThatTellsNothingIsAnError() {
    configured(VALIDATING, BUNDLE);
    answers.put(MUTATING, new Answer(500, ""));

    assertThatThrownBy(() -> store.trusted("ca")).hasMessageContaining("answered 500");
  }
}
