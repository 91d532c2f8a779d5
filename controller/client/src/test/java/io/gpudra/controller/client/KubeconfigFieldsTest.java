package io.gpudra.controller.client;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.StringReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each field that kubectl of 1.30 knows is honoured or refused by name. */
class KubeconfigFieldsTest {

  private static KubeConfig config(String cluster, String user) {
    return KubeConfig.loadKubeConfig(
        new StringReader(
            """
            apiVersion: v1
            kind: Config
            current-context: c
            contexts:
            - {name: other, context: {cluster: o, user: o}}
            - {name: c, context: {cluster: k, user: u, namespace: n, extensions: []}}
            clusters:
            - {name: o, cluster: {proxy-url: "http://127.0.0.1:2"}}
            - {name: k, cluster: {%s}}
            users:
            - {name: o, user: {as: alice}}
            - {name: u, user: {%s}}
            """
                .formatted(cluster, user)));
  }

  private static void require(String cluster, String user) throws IOException {
    KubeconfigFields.requireKnown(config(cluster, user));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "server: 'http://127.0.0.1:1'",
        "certificate-authority: ca.crt",
        "certificate-authority-data: eA==",
        "insecure-skip-tls-verify: true",
        "disable-compression: true",
        "extensions: [{name: x}]",
        "proxy-url: ''",
        "tls-server-name: null"
      })
  void aFieldOfAClusterIsHonouredOrChangesNothing(String field) {
    assertThatCode(() -> require(field, "")).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"proxy-url: 'http://127.0.0.1:2'", "tls-server-name: x", "from-tomorrow: 1"})
  void aFieldOfAClusterThatWouldBeDroppedIsRefused(String field) {
    assertThatThrownBy(() -> require(field, ""))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "kubeconfig: cluster \"k\" has " + field.replaceFirst(":.*", "") + ", which is not");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "client-certificate: a",
        "client-certificate-data: a",
        "client-key: a",
        "client-key-data: a",
        "token: a",
        "tokenFile: a",
        "username: a",
        "password: a",
        "auth-provider: {name: oidc}",
        "extensions: [{name: x}]",
        "exec: {apiVersion: a, command: a, args: [a], env: [a], installHint: a,"
            + " interactiveMode: Never, provideClusterInfo: false}"
      })
  void aFieldOfAUserIsHonouredOrChangesNothing(String field) {
    assertThatCode(() -> require("", field)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"as: alice", "as-uid: '7'", "as-groups: [devs]", "as-user-extra: {a: [b]}"})
  void aUserWhoWouldSpeakAsHerselfInPlaceOfAnotherIsRefused(String field) {
    assertThatThrownBy(() -> require("", "token: t, " + field))
        .hasMessageStartingWith(
            "kubeconfig: user \"u\" has " + field.replaceFirst(":.*", "") + ", which is not");
  }

  @Test
  void aProgramThatWouldNotLearnOfTheClusterIsRefused() {
    assertThatThrownBy(() -> require("", "exec: {command: a, provideClusterInfo: true}"))
        .hasMessageStartingWith("kubeconfig: exec of user \"u\" has provideClusterInfo");
  }
}
