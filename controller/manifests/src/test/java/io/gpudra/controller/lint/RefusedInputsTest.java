package io.gpudra.controller.lint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the API server refuses, row by row of api.md 3, in its words; a hint may follow. */
class RefusedInputsTest {

  @ParameterizedTest(name = "row {0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "1 | {memroy: 16Gi} | strict decoding error: unknown field \"spec.memroy\", did you mean"
            + " \"memory\"?",
        "2 | {sharing: {strategy: MPS, mpsConfig: {threads: 50}}} | strict decoding error: unknown"
            + " field \"spec.sharing.mpsConfig.threads\", supported values:"
            + " \"defaultActiveThreadPercentage\", \"defaultPinnedDeviceMemoryLimit\","
            + " \"defaultPerDevicePinnedMemoryLimit\"",
        "4 | {memory: '16'} | spec.memory: Invalid value: \"string\": write a size with a unit,"
            + " such as 16Gi or 512Mi",
        "4 | {memory: 16GB} | spec.memory: Invalid value: \"string\": write a size with a unit,"
            + " such as 16Gi or 512Mi",
        "5 | {memory: 16} | spec.memory: Invalid value: \"integer\": spec.memory in body must be of"
            + " type string: \"integer\"",
        "6 | {count: 0} | spec.count: Invalid value: 0: spec.count in body should be greater than"
            + " or equal to 1",
        "6 | {count: 65} | spec.count: Invalid value: 65: spec.count in body should be less than or"
            + " equal to 64",
        "6 | {count: 99999999999999999999} | spec.count: Invalid value: 99999999999999999999:"
            + " spec.count in body should be less than or equal to 64",
        "7 | {capabilities: [tensorcores]} | spec.capabilities[0]: Unsupported value:"
            + " \"tensorcores\": supported values: \"tensorCores\", \"nvlink\", \"mig\", \"ecc\","
            + " \"mps\", \"rtCores\", \"bf16\", \"fp8\", \"fp4\"",
        "8 | {capabilities: [ecc, ecc]} | spec.capabilities[1]: Duplicate value: \"ecc\"",
        "9 | {migProfile: 1g5gb} | spec.migProfile: Invalid value: \"string\": write a MIG profile"
            + " such as 1g.5gb, 3g.40gb, 1g.10gb+me, 2g.48gb+me.all or 1c.2g.10gb",
        "10 | {mode: Shared, memoryLimit: 4Gi} | spec.mode: Unsupported value: \"Shared\":"
            + " supported values: \"exclusive\", \"shared\"",
        "11 | {mode: shared} | spec: Invalid value: \"object\": mode: shared needs memoryLimit, the"
            + " part of the GPU's memory this claim may use, such as 4Gi",
        "12 | {mode: exclusive, memoryLimit: 4Gi} | spec: Invalid value: \"object\": memoryLimit is"
            + " a part of a GPU; it needs mode: shared",
        "13 | {millicores: 500} | spec: Invalid value: \"object\": millicores needs memoryLimit"
            + " beside it",
        "14 | {migProfile: 1g.5gb, memoryLimit: 2Gi} | spec: Invalid value: \"object\": a MIG"
            + " device is already a part of a GPU; it cannot be combined with mode: shared or"
            + " memoryLimit",
        "15 | {memory: 40Gi, memoryPerGpu: 40Gi} | spec: Invalid value: \"object\": memory and"
            + " memoryPerGpu mean the same (least memory of each device); set only one",
        "16 | {count: 2, all: true} | spec: Invalid value: \"object\": count and all exclude each"
            + " other",
        "17 | {topology: nvlink} | spec: Invalid value: \"object\": topology needs at least two"
            + " devices; raise count or drop topology",
        "18 | {count: 2, topology: NVLink} | spec.topology: Unsupported value: \"NVLink\":"
            + " supported values: \"nvlink\", \"pcie\", \"numa\"",
        "19 | {count: 2, topology: nvlink, migProfile: 1g.5gb} | spec: Invalid value: \"object\":"
            + " MIG devices have no NVLink; topology: nvlink cannot be combined with migProfile",
        "20 | {memory: 4Gi, requests: [{name: a}]} | spec: Invalid value: \"object\": with requests"
            + " or alternatives, the fields count, all, memory, capabilities, migProfile, cel,"
            + " mode, memoryLimit, millicores, sharing belong inside the entries",
        "21 | {requests: [{name: a}, {name: a}]} | spec.requests[1]: Duplicate value:"
            + " map[string]interface {}{\"name\":\"a\"}",
        "22 | {requests: [{name: a, count: 40}, {name: b, count: 40}]} | spec: Invalid value:"
            + " \"object\": at most 64 devices per claim over all requests",
        "23 | {alternatives: [{count: 1}]} | spec.alternatives: Invalid value: 1: spec.alternatives"
            + " in body should have at least 2 items",
        "28 | {sharing: {strategy: Mps}} | spec.sharing.strategy: Unsupported value: \"Mps\":"
            + " supported values: \"TimeSlicing\", \"MPS\", \"SpacePartitioning\"",
        "29 | {sharing: {mpsConfig: {}}} | spec.sharing: Invalid value: \"object\": mpsConfig is"
            + " only for strategy MPS",
        "30 | {sharing: {strategy: MPS, mpsConfig: {defaultActiveThreadPercentage: 200}}} |"
            + " spec.sharing.mpsConfig.defaultActiveThreadPercentage: Invalid value: 200:"
            + " spec.sharing.mpsConfig.defaultActiveThreadPercentage in body should be less than or"
            + " equal to 100",
        "30 | {sharing: {strategy: MPS, mpsConfig: {defaultPerDevicePinnedMemoryLimit: {gpu0: 1Gi,"
            + " gpu1: 1Gi}}}} | spec.sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit: Invalid"
            + " value: \"object\": keys are a device's position in the claim (0 to 15) or its UUID",
        "31 | {insideClaim: gpu} | spec: Invalid value: \"object\": insideClaim carves MIG devices"
            + " out of another claim's GPU; it needs migProfile",
        "32 | {tolerations: [{key: a, operator: Exists, value: x}]} | spec.tolerations[0]: Invalid"
            + " value: \"object\": operator Exists takes no value",
        "33 | {placement: packed} | spec.placement: Unsupported value: \"packed\": supported"
            + " values: \"pack\", \"spread\"",
        "of an entry | {requests: [{name: a}, {name: b, mode: shared}]} | spec.requests[1]: Invalid"
            + " value: \"object\": mode: shared needs memoryLimit, the part of the GPU's memory"
            + " this claim may use, such as 4Gi",
        "of an entry | {alternatives: [{}, {memory: '1'}]} | spec.alternatives[1].memory: Invalid"
            + " value: \"string\": write a size with a unit, such as 16Gi or 512Mi",
        "beside | {alternatives: [{}, {insideClaim: gpu}]} | strict decoding error: unknown field"
            + " \"spec.alternatives[1].insideClaim\", supported values: \"count\", \"all\","
            + " \"memory\", \"capabilities\", \"migProfile\", \"cel\", \"mode\", \"memoryLimit\","
            + " \"millicores\", \"sharing\"",
        "too long | {memory: 11111111111111111111Gi} | spec.memory: Too long: may not be longer"
            + " than 16",
        "form | {count: 2, insideClaim: A, migProfile: 1g.5gb} | spec.insideClaim: Invalid value:"
            + " \"A\": spec.insideClaim in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'",
        "empty | {cel: ''} | spec.cel: Invalid value: \"\": spec.cel in body should be at least 1"
            + " chars long",
        "null | {capabilities: [null]} | spec.capabilities[0]: Invalid value: \"null\":"
            + " spec.capabilities[0] in body must be of type string: \"null\"",
        "needed | {sharing: {strategy: SpacePartitioning, spacePartitioningConfig: {}}} |"
            + " spec.sharing.spacePartitioningConfig.partitionCount: Required value",
      })
  void aClaimsParametersAreRefusedAsTheServerDoes(String row, String spec, String text) {
    assertThat(LintSamples.texts(LintSamples.claimParameters("x", spec))).containsExactly(text);
  }

  @ParameterizedTest(name = "row {0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "34 | {monitor: true} | spec: Invalid value: \"object\": monitor: true shows every GPU of a"
            + " node; say in namespaceSelector which namespaces may use the class",
        "4.1 | {monitor: true, namespaceSelector: {}, limits: {}} | spec: Invalid value:"
            + " \"object\": monitor claims take no devices; mode, sharing, placement, topology,"
            + " enforceLimits and limits have no meaning",
        "topology | {topologyPolicy: Preferred} | spec: Invalid value: \"object\":"
            + " topologyPolicy needs topology",
        "D12 | {enforceLimits: true, sharing: {}} | spec: Invalid value: \"object\":"
            + " TimeSlicing enforces no limits; with enforceLimits the strategy of shares is MPS",
        "4.1 | {mode: exclusive, memoryOvercommitPercent: 150} | spec: Invalid value: \"object\":"
            + " memoryOvercommitPercent needs mode: shared",
        "35 | {mode: shared, memoryOvercommitPercent: 150, sharing: {strategy: MPS}} | spec:"
            + " Invalid value: \"object\": memoryOvercommitPercent above 100 works only with"
            + " TimeSlicing; MPS and SpacePartitioning enforce the limits",
        "36 | {sharable: false} | strict decoding error: unknown field \"spec.sharable\", did you"
            + " mean \"shareable\"?",
        "37 | {limits: {claimDuration: 1 day}} | spec.limits.claimDuration: Invalid value:"
            + " \"string\": write a duration such as 24h or 1h30m",
        "selector | {namespaceSelector: {matchExpressions: [{key: a, operator: In}]}} |"
            + " spec.namespaceSelector.matchExpressions[0].values: Required value",
      })
  void aClassesParametersAreRefusedAsTheServerDoes(String row, String spec, String text) {
    assertThat(LintSamples.texts(LintSamples.classParameters("x", spec))).containsExactly(text);
  }

  @ParameterizedTest(name = "row {0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "38 | [{device: gpu-0, key: m}] | spec.taints[0].effect: Required value",
        "38 | [{device: gpu-0, key: m, effect: NoSchedule}, {effect: NoSchedule, key: m, device:"
            + " gpu-0}] | spec.taints[1]: Duplicate value: map[string]interface"
            + " {}{\"device\":\"gpu-0\", \"effect\":\"NoSchedule\", \"key\":\"m\"}",
        "38 | [{key: m, effect: NoSchedule}, {effect: NoSchedule, key: m, device: '*'}] |"
            + " spec.taints[1]: Duplicate value: map[string]interface {}{\"device\":\"*\","
            + " \"effect\":\"NoSchedule\", \"key\":\"m\"}",
        "39 | [{key: m, effect: NoSchedule, until: tomorrow}] | spec.taints[0].until: Invalid"
            + " value: \"tomorrow\": spec.taints[0].until in body must be of type date-time:"
            + " \"tomorrow\"",
      })
  void anInventorysSpecIsRefusedAsTheServerDoes(String row, String taints, String text) {
    assertThat(
            LintSamples.texts(
                LintSamples.object(
                    "gpu.resource.example.com/v1alpha1",
                    "NodeInventory",
                    "worker-0",
                    "spec: {taints: %s}".formatted(taints))))
        .containsExactly(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{}",
        "null",
        "{memory: null, count: 4, topology: nvlink, memoryPerGpu: 40Gi}",
        "{all: yes}",
        "{count: 2.0}",
        "{memory: 16Gi, capabilities: [tensorCores, nvlink]}",
        "{mode: shared, memoryLimit: 4Gi, millicores: 500}",
        "{alternatives: [{migProfile: 1g.5gb}, {migProfile: 1g.10gb}], insideClaim: gpu}",
        "{tolerations: [{operator: Exists}, {key: a, value: b, effect: NoExecute,"
            + " tolerationSeconds: 5}]}",
      })
  void aClaimsParametersThatAreRightAreNotSpokenOf(String spec) {
    assertThat(LintSamples.texts(LintSamples.claimParameters("x", spec))).isEmpty();
  }
}
