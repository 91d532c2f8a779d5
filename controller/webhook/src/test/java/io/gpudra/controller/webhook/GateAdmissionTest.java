package io.gpudra.controller.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpudra.controller.gate.GateName;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GateAdmissionTest {
  private static final String GATE = "gpu.example.com/granted";

  private final GateAdmission gateAdmission = new GateAdmission(new GateName("gpu.example.com"));

  private String review(String operation, String fields) throws IOException {
    ReviewRequest review = ReviewRequest.read(Reviews.review("/Pod", operation, fields));
    return Reviews.said(review.answer(gateAdmission.decide(review)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'resourceClaims': [{'name': 'a'}]} | add /spec/schedulingGates [{'name':'GATE'}]",
        "{'resourceClaims': [{'name': 'a'}], 'schedulingGates': []} | add /spec/schedulingGates [{'name':'GATE'}]",
        "{'resourceClaims': [{'name': 'a'}], 'schedulingGates': [{'name': 'b'}]} | add /spec/schedulingGates/- {'name':'GATE'}",
        "{'resourceClaims': [{'name': 'a'}], 'schedulingGates': [{'name': 'b'}, {'name': 'GATE'}]} | allowed",
        "{'resourceClaims': [{'name': 'a'}], 'nodeName': 'worker-1'} | allowed",
        "{'resourceClaims': []} | allowed",
        "{'containers': []} | allowed",
        "null | allowed",
        "5 | allowed",
        "{'resourceClaims': 5, 'schedulingGates': 5} | allowed",
      })
  void aNewPodWithClaimsGetsTheGate(String spec, String said) throws IOException {
    assertThat(review("CREATE", "'object': {'spec': " + spec.replace("GATE", GATE) + "}"))
        .isEqualTo(said.replace("GATE", GATE).replace('\'', '"'));
  }

  @Test
  void aPodThatExistsGetsNoGate() throws IOException {
    String pod = "'object': {'spec': {'resourceClaims': [{'name': 'a'}]}}";

    assertThat(review("UPDATE", pod)).isEqualTo("allowed");
    assertThat(review("CREATE", "'subResource': 'binding', " + pod)).isEqualTo("allowed");
  }
}
