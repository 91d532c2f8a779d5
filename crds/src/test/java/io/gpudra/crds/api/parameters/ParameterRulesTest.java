package io.gpudra.crds.api.parameters;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.gson.Gson;
import io.kubernetes.client.openapi.JSON;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules by their numbers in the API page (2.7, 4.1), each alone in its row. */
class ParameterRulesTest {

  private static final Gson GSON = JSON.createGson().create();
  private static final String OBJECT = "Invalid value: \"object\": ";

  static GpuClaimParametersSpec claim(String spec) {
    return GSON.fromJson(spec.replace('\'', '"'), GpuClaimParametersSpec.class);
  }

  static GpuClassParametersSpec ofClass(String spec) {
    return GSON.fromJson(spec.replace('\'', '"'), GpuClassParametersSpec.class);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "V1 | {'count':2,'all':true} | count and all exclude each other",
        "V2 | {'all':true,'migProfile':'1g.5gb'} | all takes whole GPUs; it cannot be combined with migProfile or memoryLimit",
        "V2 | {'all':true,'memoryLimit':'4Gi'} | all takes whole GPUs; it cannot be combined with migProfile or memoryLimit",
        "V3 | {'mode':'shared'} | mode: shared needs memoryLimit, the part of the GPU's memory this claim may use, such as 4Gi",
        "V4 | {'mode':'exclusive','memoryLimit':'4Gi'} | memoryLimit is a part of a GPU; it needs mode: shared",
        "V5 | {'millicores':500} | millicores needs memoryLimit beside it",
        "V6 | {'migProfile':'1g.5gb','memoryLimit':'2Gi'} | a MIG device is already a part of a GPU; it cannot be combined with mode: shared or memoryLimit",
        "V7 | {'migProfile':'1g.5gb','capabilities':['ecc','nvlink']} | MIG devices have no NVLink; drop nvlink from capabilities",
        "V8 | {'migProfile':'1g.5gb','sharing':{'strategy':'SpacePartitioning','spacePartitioningConfig':{'partitionCount':2}}} | SpacePartitioning does not work on MIG devices; use a smaller migProfile",
        "V9 | {'migProfile':'1g.5gb','sharing':{'timeSlicingConfig':{'interval':'Long'}}} | the time slice of a MIG device cannot be changed; drop timeSlicingConfig",
        "V10 | {'memory':'40Gi','memoryPerGpu':'40Gi'} | memory and memoryPerGpu mean the same (least memory of each device); set only one",
        "V11 | {'requests':[{'name':'a'}],'alternatives':[{},{}]} | requests and alternatives exclude each other",
        "V12 | {'memory':'4Gi','requests':[{'name':'a'}]} | with requests or alternatives, the fields count, all, memory, capabilities, migProfile, cel, mode, memoryLimit, millicores, sharing belong inside the entries",
        "V12 | {'all':false,'alternatives':[{},{}]} | with requests or alternatives, the fields count, all, memory, capabilities, migProfile, cel, mode, memoryLimit, millicores, sharing belong inside the entries",
        "V13 | {'topology':'nvlink'} | topology needs at least two devices; raise count or drop topology",
        "V14 | {'count':2,'topologyPolicy':'Preferred'} | topologyPolicy needs topology",
        "V15 | {'count':2,'topology':'nvlink','migProfile':'1g.5gb'} | MIG devices have no NVLink; topology: nvlink cannot be combined with migProfile",
        "V15 | {'topology':'nvlink','requests':[{'name':'a'},{'name':'b','migProfile':'1g.5gb'}]} | MIG devices have no NVLink; topology: nvlink cannot be combined with migProfile",
        "V16 | {'sameAttribute':['pcieRoot']} | sameAttribute needs at least two devices; raise count or drop sameAttribute",
        "V17 | {'requests':[{'name':'a','count':40},{'name':'b','count':25}]} | at most 64 devices per claim over all requests",
        "V18 | {'insideClaim':'gpu'} | insideClaim carves MIG devices out of another claim's GPU; it needs migProfile",
        "V18 | {'insideClaim':'gpu','requests':[{'name':'a','migProfile':'1g.5gb'},{'name':'b'}]} | insideClaim carves MIG devices out of another claim's GPU; it needs migProfile",
        "V18 | {'insideClaim':'gpu','alternatives':[{'migProfile':'1g.5gb'},{}]} | insideClaim carves MIG devices out of another claim's GPU; it needs migProfile",
      })
  void aSpecThatContradictsItselfIsToldSo(String number, String spec, String text) {
    assertThat(claim(spec).problems()).containsExactly("spec: " + OBJECT + text);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "V20 | {'sharing':{'strategy':'MPS','timeSlicingConfig':{}}} | spec.sharing: Invalid value: \"object\": timeSlicingConfig is only for strategy TimeSlicing",
        "V21 | {'sharing':{'mpsConfig':{}}} | spec.sharing: Invalid value: \"object\": mpsConfig is only for strategy MPS",
        "V22 | {'sharing':{'strategy':'SpacePartitioning'}} | spec.sharing: Invalid value: \"object\": strategy SpacePartitioning needs spacePartitioningConfig, and only that strategy takes it",
        "V22 | {'sharing':{'spacePartitioningConfig':{'partitionCount':2}}} | spec.sharing: Invalid value: \"object\": strategy SpacePartitioning needs spacePartitioningConfig, and only that strategy takes it",
        "V24 | {'sharing':{'strategy':'MPS','mpsConfig':{'defaultPerDevicePinnedMemoryLimit':{'gpu0':'1Gi'}}}} | spec.sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit: Invalid value: \"gpu0\": keys are a device's position in the claim (0 to 15) or its UUID",
        "V25 | {'memory':'16GB'} | spec.memory: Invalid value: \"16GB\": write a size with a unit, such as 16Gi or 512Mi",
        "V25 | {'memoryPerGpu':'16'} | spec.memoryPerGpu: Invalid value: \"16\": write a size with a unit, such as 16Gi or 512Mi",
        "V25 | {'memoryLimit':'4'} | spec.memoryLimit: Invalid value: \"4\": write a size with a unit, such as 16Gi or 512Mi",
        "V25 | {'sharing':{'strategy':'MPS','mpsConfig':{'defaultPinnedDeviceMemoryLimit':'1'}}} | spec.sharing.mpsConfig.defaultPinnedDeviceMemoryLimit: Invalid value: \"1\": write a size with a unit, such as 16Gi or 512Mi",
        "V25 | {'sharing':{'strategy':'MPS','mpsConfig':{'defaultPerDevicePinnedMemoryLimit':{'0':'1'}}}} | spec.sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit[0]: Invalid value: \"1\": write a size with a unit, such as 16Gi or 512Mi",
        "V26 | {'migProfile':'1g5gb'} | spec.migProfile: Invalid value: \"1g5gb\": write a MIG profile such as 1g.5gb, 3g.40gb, 1g.10gb+me, 2g.48gb+me.all or 1c.2g.10gb",
        "V27 | {'tolerations':[{'key':'a','operator':'Exists','value':'x'}]} | spec.tolerations[0]: Invalid value: \"object\": operator Exists takes no value",
        "V28 | {'tolerations':[{'value':'x'}]} | spec.tolerations[0]: Invalid value: \"object\": operator Equal needs a key",
        "V29 | {'tolerations':[{},{'key':'a','tolerationSeconds':1}]} | spec.tolerations[1]: Invalid value: \"object\": tolerationSeconds is only for effect NoExecute",
        "a part of nothing | {'memoryLimit':'0.0000001Mi'} | spec.memoryLimit: Invalid value: \"0.0000001Mi\": must be at least 1M",
      })
  void aFieldIsToldWithItsPath(String number, String spec, String problem) {
    assertThat(claim(spec).problems()).contains(problem);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "row 6 | {'count':65} | spec.count: Invalid value: 65: spec.count in body should be less than or equal to 64",
        "row 7 | {'capabilities':['tensorcores']} | spec.capabilities[0]: Unsupported value: \"tensorcores\": supported values: \"tensorCores\", \"nvlink\", \"mig\", \"ecc\", \"mps\", \"rtCores\", \"bf16\", \"fp8\", \"fp4\"",
        "row 8 | {'capabilities':['ecc','ecc']} | spec.capabilities[1]: Duplicate value: \"ecc\"",
        "row 10 | {'mode':'Shared','memoryLimit':'4Gi'} | spec.mode: Unsupported value: \"Shared\": supported values: \"exclusive\", \"shared\"",
        "row 18 | {'count':2,'topology':'NVLink'} | spec.topology: Unsupported value: \"NVLink\": supported values: \"nvlink\", \"pcie\", \"numa\"",
        "row 21 | {'requests':[{'name':'a'},{'name':'a'}]} | spec.requests[1]: Duplicate value: {\"name\":\"a\"}",
        "row 23 | {'alternatives':[{'count':1}]} | spec.alternatives: Invalid value: 1: spec.alternatives in body should have at least 2 items",
        "row 28 | {'sharing':{'strategy':'Mps'}} | spec.sharing.strategy: Unsupported value: \"Mps\": supported values: \"TimeSlicing\", \"MPS\", \"SpacePartitioning\"",
        "row 28 | {'sharing':{'strategy':'Mps','mpsConfig':{}}} | spec.sharing.strategy: Unsupported value: \"Mps\": supported values: \"TimeSlicing\", \"MPS\", \"SpacePartitioning\"",
        "row 30 | {'sharing':{'strategy':'MPS','mpsConfig':{'defaultActiveThreadPercentage':200}}} | spec.sharing.mpsConfig.defaultActiveThreadPercentage: Invalid value: 200: spec.sharing.mpsConfig.defaultActiveThreadPercentage in body should be less than or equal to 100",
        "interval | {'sharing':{'timeSlicingConfig':{'interval':'long'}}} | spec.sharing.timeSlicingConfig.interval: Unsupported value: \"long\": supported values: \"Default\", \"Short\", \"Medium\", \"Long\"",
        "parts | {'sharing':{'strategy':'SpacePartitioning','spacePartitioningConfig':{}}} | spec.sharing.spacePartitioningConfig.partitionCount: Required value",
        "parts | {'sharing':{'strategy':'SpacePartitioning','spacePartitioningConfig':{'partitionCount':65}}} | spec.sharing.spacePartitioningConfig.partitionCount: Invalid value: 65: spec.sharing.spacePartitioningConfig.partitionCount in body should be less than or equal to 64",
        "millicores | {'memoryLimit':'4Gi','millicores':1001} | spec.millicores: Invalid value: 1001: spec.millicores in body should be less than or equal to 1000",
        "policy | {'count':2,'topology':'numa','topologyPolicy':'preferred'} | spec.topologyPolicy: Unsupported value: \"preferred\": supported values: \"Required\", \"Preferred\"",
        "attribute | {'count':2,'sameAttribute':['brand','brand']} | spec.sameAttribute[1]: Duplicate value: \"brand\"",
        "inside | {'migProfile':'1g.5gb','insideClaim':'A'} | spec.insideClaim: Invalid value: \"A\": spec.insideClaim in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'",
        "name | {'requests':[{}]} | spec.requests[0].name: Required value",
        "name | {'requests':[{'name':'A'}]} | spec.requests[0].name: Invalid value: \"A\": spec.requests[0].name in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'",
        "null | {'requests':[null]} | spec.requests[0]: Required value",
        "null | {'tolerations':[null]} | spec.tolerations[0]: Required value",
        "null | {'capabilities':[null]} | spec.capabilities[0]: Required value",
        "operator | {'tolerations':[{'key':'a','operator':'Lt'}]} | spec.tolerations[0].operator: Unsupported value: \"Lt\": supported values: \"Equal\", \"Exists\"",
        "effect | {'tolerations':[{'key':'a','effect':'PreferNoSchedule'}]} | spec.tolerations[0].effect: Unsupported value: \"PreferNoSchedule\": supported values: \"NoSchedule\", \"NoExecute\"",
        "seconds | {'tolerations':[{'key':'a','effect':'NoExecute','tolerationSeconds':9223372036854775807}]} | spec.tolerations[0].tolerationSeconds: Invalid value: 9223372036854775807: spec.tolerations[0].tolerationSeconds in body should be less than or equal to 3153600000",
        "in an entry | {'requests':[{'name':'a'},{'name':'b','mode':'shared'}]} | spec.requests[1]: Invalid value: \"object\": mode: shared needs memoryLimit, the part of the GPU's memory this claim may use, such as 4Gi",
        "in an entry | {'alternatives':[{},{'memory':'1'}]} | spec.alternatives[1].memory: Invalid value: \"1\": write a size with a unit, such as 16Gi or 512Mi",
      })
  void aValueThatTheSchemaDoesNotAllowIsTheOnlyProblem(String row, String spec, String problem) {
    assertThat(claim(spec).problems()).containsExactly(problem);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "M10 | {'count':2,'sharing':{'strategy':'MPS','mpsConfig':{'defaultPerDevicePinnedMemoryLimit':{'3':'1Gi'}}}} | spec.sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit[3]: the claim has 2 devices (0 and 1)",
        "M10 | {'alternatives':[{'count':9,'sharing':{'strategy':'MPS','mpsConfig':{'defaultPerDevicePinnedMemoryLimit':{'8':'1Gi'}}}},{'sharing':{'strategy':'MPS','mpsConfig':{'defaultPerDevicePinnedMemoryLimit':{'1':'1Gi'}}}}]} | spec.alternatives[1].sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit[1]: the claim has 1 device (0)",
        "M10 | {'requests':[{'name':'a','count':2},{'name':'b','sharing':{'strategy':'MPS','mpsConfig':{'defaultPerDevicePinnedMemoryLimit':{'2':'1Gi','3':'1Gi'}}}}]} | spec.requests[1].sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit[3]: the claim has 3 devices (0 to 2)",
        "M11 | {'memoryLimit':'4Gi','sharing':{'strategy':'MPS','mpsConfig':{'defaultPinnedDeviceMemoryLimit':'10Gi'}}} | spec.sharing.mpsConfig.defaultPinnedDeviceMemoryLimit: 10Gi is more than memoryLimit 4Gi",
        "M11 | {'memoryLimit':'4Gi','sharing':{'strategy':'MPS','mpsConfig':{'defaultPinnedDeviceMemoryLimit':'4Gi','defaultPerDevicePinnedMemoryLimit':{'0':'4.5Gi'}}}} | spec.sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit[0]: 4.5Gi is more than memoryLimit 4Gi",
      })
  void limitsOfMpsClientsFitTheClaim(String number, String spec, String problem) {
    assertThat(claim(spec).problems()).containsExactly(problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "spec | {'migProfile':'1g.5gb','count':2,'sharing':{'strategy':'MPS'}} | 2",
        "spec.requests[1] | {'requests':[{'name':'a','sharing':{'strategy':'MPS'}},{'name':'b','migProfile':'1g.5gb','sharing':{'strategy':'MPS'}}]} | 2",
        "spec.requests[0] | {'requests':[{'name':'a','migProfile':'1g.5gb','sharing':{'strategy':'MPS'}},{'name':'b','migProfile':'2g.10gb','count':3,'sharing':{'strategy':'MPS'}}]} | 4",
        "spec.alternatives[1] | {'alternatives':[{'count':2,'sharing':{'strategy':'MPS'}},{'migProfile':'1g.5gb','count':2,'sharing':{'strategy':'MPS'}}]} | 2",
      })
  void anMpsServerHasOneMigDevice(String path, String spec, int devices) {
    assertThat(claim(spec).problems())
        .containsExactly(
            "%s: an MPS server has one MIG device, and the claim wants %d devices with MPS; make a claim of each"
                .formatted(path, devices));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'count':16,'sharing':{'strategy':'MPS'}}",
        "{'migProfile':'1g.5gb','count':2}",
        "{'requests':[{'name':'a','migProfile':'1g.5gb'},{'name':'b','migProfile':'1g.5gb','sharing':{'strategy':'MPS'}}]}",
        "{'alternatives':[{'migProfile':'1g.5gb','sharing':{'strategy':'MPS'}},{'count':2,'sharing':{'strategy':'MPS'}}]}",
        "{'count':4,'topology':'nvlink','memoryPerGpu':'40Gi'}",
        "{'all':true,'topology':'numa','topologyPolicy':'Preferred','sameAttribute':['resource.kubernetes.io/pcieRoot']}",
        "{'all':false,'count':2}",
        "{'mode':'shared','memoryLimit':'4Gi','millicores':500}",
        "{'memoryLimit':'4Gi','sharing':{}}",
        "{'migProfile':'1c.2g.10gb','insideClaim':'gpu'}",
        "{'migProfile':'1g.10gb+me','sharing':{'strategy':'MPS'}}",
        "{'migProfile':'2g.48gb+me.all','sharing':{'timeSlicingConfig':{'interval':'Default'}}}",
        "{'migProfile':'1g.6gb-me','sharing':{'timeSlicingConfig':{}}}",
        "{'requests':[{'name':'a','count':60},{'name':'b','migProfile':'1g.5gb','count':4}]}",
        "{'alternatives':[{'memory':'80Gi'},{'count':2,'memory':'40Gi'}],'topology':'nvlink'}",
        "{'all':true,'sharing':{'strategy':'MPS','mpsConfig':{'defaultPerDevicePinnedMemoryLimit':{'15':'1Gi','GPU-0a':'2Gi'}}}}",
        "{'tolerations':[{'operator':'Exists'},{'key':'a','effect':'NoExecute','tolerationSeconds':0},{'key':'a','value':''}]}",
      })
  void whatGoesTogetherHasNoProblem(String spec) {
    assertThat(claim(spec).problems()).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "row 34 | {'monitor':true} | spec: Invalid value: \"object\": monitor: true shows every GPU of a node; say in namespaceSelector which namespaces may use the class",
        "4.1 | {'monitor':true,'namespaceSelector':{},'placement':'pack'} | spec: Invalid value: \"object\": monitor claims take no devices; mode, sharing, placement, topology, enforceLimits and limits have no meaning",
        "4.1 | {'mode':'exclusive','memoryOvercommitPercent':150} | spec: Invalid value: \"object\": memoryOvercommitPercent needs mode: shared",
        "row 35 | {'mode':'shared','memoryOvercommitPercent':150,'sharing':{'strategy':'MPS'}} | spec: Invalid value: \"object\": memoryOvercommitPercent above 100 works only with TimeSlicing; MPS and SpacePartitioning enforce the limits",
        "topology | {'topology':'NVLink'} | spec.topology: Unsupported value: \"NVLink\": supported values: \"nvlink\", \"pcie\", \"numa\"",
        "topology | {'topology':'numa','topologyPolicy':'preferred'} | spec.topologyPolicy: Unsupported value: \"preferred\": supported values: \"Required\", \"Preferred\"",
        "topology | {'topologyPolicy':'Preferred'} | spec: Invalid value: \"object\": topologyPolicy needs topology",
        "topology | {'topology':'nvlink','deviceSelector':[{'type':'mig','name':'*'}]} | spec: Invalid value: \"object\": MIG devices have no NVLink; topology: nvlink cannot be combined with a deviceSelector of type mig only",
        "topology | {'monitor':true,'namespaceSelector':{},'topology':'numa'} | spec: Invalid value: \"object\": monitor claims take no devices; mode, sharing, placement, topology, enforceLimits and limits have no meaning",
        "D12 | {'monitor':true,'namespaceSelector':{},'enforceLimits':false} | spec: Invalid value: \"object\": monitor claims take no devices; mode, sharing, placement, topology, enforceLimits and limits have no meaning",
        "D12 | {'enforceLimits':true,'mode':'exclusive'} | spec: Invalid value: \"object\": enforceLimits is for shares of GPUs; it cannot be combined with mode: exclusive",
        "D12 | {'enforceLimits':true,'sharing':{}} | spec: Invalid value: \"object\": TimeSlicing enforces no limits; with enforceLimits the strategy of shares is MPS",
        "D12 | {'enforceLimits':true,'memoryOvercommitPercent':150} | spec: Invalid value: \"object\": limits that are enforced cannot be promised twice; drop memoryOvercommitPercent or enforceLimits",
        "S15 | {'forbiddenAttributes':[]} | spec.forbiddenAttributes: Invalid value: 0: spec.forbiddenAttributes in body should have at least 1 items",
        "S15 | {'forbiddenAttributes':['UUID']} | spec.forbiddenAttributes[0]: Unsupported value: \"UUID\": supported values: \"node\", \"name\", \"uuid\", \"pcieBusID\"",
        "S15 | {'forbiddenAttributes':['node','node']} | spec.forbiddenAttributes[1]: Duplicate value: \"node\"",
        "S15 | {'forbiddenAttributes':[null]} | spec.forbiddenAttributes[0]: Required value",
        "S15 | {'forbiddenAttributes':['node','name','uuid','pcieBusID','node']} | spec.forbiddenAttributes: Too many: 5: must have at most 4 items",
        "row 37 | {'limits':{'claimDuration':'1 day'}} | spec.limits.claimDuration: Invalid value: \"1 day\": write a duration such as 24h or 1h30m",
        "duration | {'limits':{'claimDuration':''}} | spec.limits.claimDuration: Invalid value: \"\": write a duration such as 24h or 1h30m",
        "percent | {'memoryOvercommitPercent':401} | spec.memoryOvercommitPercent: Invalid value: 401: spec.memoryOvercommitPercent in body should be less than or equal to 400",
        "devices | {'limits':{'devicesPerClaim':0}} | spec.limits.devicesPerClaim: Invalid value: 0: spec.limits.devicesPerClaim in body should be greater than or equal to 1",
        "mode | {'mode':'Shared'} | spec.mode: Unsupported value: \"Shared\": supported values: \"exclusive\", \"shared\"",
        "sharing | {'sharing':{'mpsConfig':{}}} | spec.sharing: Invalid value: \"object\": mpsConfig is only for strategy MPS",
        "namespaces | {'namespaceSelector':{'matchExpressions':[{'key':'a','operator':'in','values':['b']}]}} | spec.namespaceSelector.matchExpressions[0].operator: Unsupported value: \"in\": supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\"",
        "namespaces | {'namespaceSelector':{'matchExpressions':[{'operator':'Exists'}]}} | spec.namespaceSelector.matchExpressions[0].key: Required value",
        "namespaces | {'namespaceSelector':{'matchExpressions':[{'key':'a','operator':'In'}]}} | spec.namespaceSelector.matchExpressions[0].values: Required value",
        "namespaces | {'namespaceSelector':{'matchExpressions':[null]}} | spec.namespaceSelector.matchExpressions[0]: Required value",
      })
  void aClassThatMeansNothingIsToldSo(String number, String spec, String problem) {
    assertThat(ofClass(spec).problems()).containsExactly(problem);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'monitor':true,'namespaceSelector':{'matchLabels':{'a':'b'}}}",
        "{'deviceSelector':[{'type':'mig','name':'*'}],'mode':'shared','memoryOvercommitPercent':400}",
        "{'memoryOvercommitPercent':100,'mode':'exclusive','sharing':{'strategy':'MPS'}}",
        "{'limits':{'devicesPerClaim':64,'claimDuration':'1h30m'}}",
        "{'topology':'nvlink','deviceSelector':[{'type':'mig','name':'*'},{'type':'gpu','name':'*'}]}",
        "{'topology':'numa','topologyPolicy':'Preferred','deviceSelector':[{'type':'mig','name':'*'}]}",
        "{'enforceLimits':true,'mode':'shared','sharing':{'strategy':'MPS'}}",
        "{'enforceLimits':false,'mode':'exclusive','sharing':{}}",
        "{'forbiddenAttributes':['pcieBusID','uuid','name','node'],'cel':'device.node == device.name'}",
        "{'monitor':true,'namespaceSelector':{},'forbiddenAttributes':['node']}",
      })
  void aClassThatMeansSomethingHasNoProblem(String spec) {
    assertThat(ofClass(spec).problems()).isEmpty();
  }

  /** An object of before the schema may be as large as the server stores, and full of mistakes. */
  @Test
  void aMegabyteOfMistakesIsToldInAFewKilobytes() {
    String entry = "{'mode':'%s','migProfile':'%s','memory':'1','count':99},".formatted("m", "g+a");
    String requests = "[" + entry.repeat(20_000) + "null]";
    String capabilities = "[" + "'x',".repeat(100_000) + "null]";
    String profile = "1g.5gb" + "+me.all".repeat(100_000);
    String key = "GPU-" + "0".repeat(500_000);

    for (String spec :
        ImmutableList.of(
            "{'requests':" + requests + ",'alternatives':" + requests + "}",
            "{'capabilities':" + capabilities + "}",
            "{'sameAttribute':" + capabilities + "}",
            "{'migProfile':'" + profile + "'}",
            "{'insideClaim':'" + "a".repeat(1_000_000) + "'}",
            "{'mode':'" + "a".repeat(1_000_000) + "'}",
            "{'tolerations':[" + "{},".repeat(300_000) + "null]}",
            "{'sharing':{'strategy':'MPS','mpsConfig':{'defaultPerDevicePinnedMemoryLimit':{'"
                + key
                + "':'1'}}}}")) {
      ImmutableList<String> problems = claim(spec).problems();

      assertThat(problems).isNotEmpty();
      assertThat(String.join("", problems)).hasSizeLessThan(10_000);
    }
  }

  @Test
  void whatIsNotToldIsCounted() {
    String six = "{'count':0,'memory':'1','mode':'x','cel':'','millicores':0}";

    assertThat(claim("{'alternatives':[" + (six + ",").repeat(7) + six + "]}").problems())
        .hasSize(33)
        .endsWith("and 16 more");
  }
}
