package io.gpudra.controller.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DriverPodsTest {

  @ParameterizedTest
  @CsvSource({
    "gpudra/controller:0.1.0, 0.1.0",
    "registry.example.com:5000/gpudra/controller:1.2, 1.2",
    "registry.example.com:5000/gpudra/controller, ''",
    "gpudra/controller:0.1.0@sha256:abc, ''",
    "gpudra/controller, ''",
  })
  void theVersionIsTheTagOfTheImage(String image, String tag) {
    assertThat(DriverPods.tag(image)).isEqualTo(tag);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'args':['--gates']}                          | true",
        "{'args':['--gates=true']}                     | true",
        "{'args':['--gates=false']}                    | false",
        "{'args':['--gates','false']}                  | false",
        "{'args':['--gates','--evict']}                | true",
        "{'args':['--gate-patience=1m']}               | false",
        "{'env':[{'name':'GATES','value':'true'}]}     | true",
        "{}                                            | false",
      })
  void gatesAreSwitchedOnByTheOptionOrByTheEnvironment(String container, boolean gates)
      throws IOException {
    assertThat(DriverPods.hasGates(InstallationReader.JSON.readTree(container.replace('\'', '"'))))
        .isEqualTo(gates);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'args':['--driver-name=a.example.com']}                | a.example.com",
        "{'command':['java','--driver-name=a.example.com']}      | a.example.com",
        "{'args':['--driver-name','a.example.com']}              | a.example.com",
        "{'env':[{'name':'DRIVER_NAME','value':'b.example.com'}]} | b.example.com",
        "{'args':['--log-level=info']}                           | gpu.resource.example.com",
      })
  void theDriverNameIsThatOfTheOptionOrOfTheEnvironment(String container, String name)
      throws IOException {
    assertThat(
            DriverPods.driverName(InstallationReader.JSON.readTree(container.replace('\'', '"'))))
        .isEqualTo(name);
  }
}
