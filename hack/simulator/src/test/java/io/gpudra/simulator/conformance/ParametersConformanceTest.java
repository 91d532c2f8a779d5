package io.gpudra.simulator.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What of claim and class parameters the server itself refuses, row by row of the API page (section
 * 3), with our own definitions. Definitions of an installed driver are taken as they are and left
 * there; nothing else is stored.
 */
class ParametersConformanceTest extends ConformanceCase {
  private static final String DEFINITIONS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  private static final String GROUP = "gpu.resource.example.com";
  private static final String UNCHECKED =
      ", <nil>: Invalid value: \"null\": some validation rules were not checked because the object"
          + " was invalid; correct the existing errors to complete validation]";
  private static final String MALFORMED = "strict decoding error: ";

  private final String claimParameters =
      "/apis/" + GROUP + "/v1alpha1/namespaces/" + ns + "/gpuclaimparameters";
  private final String classParameters = "/apis/" + GROUP + "/v1alpha1/gpuclassparameters";

  private static final Client CLIENT = ServerUnderTest.INSTANCE.client();
  private static final List<String> MADE = new ArrayList<>();

  @BeforeAll
  static void define() {
    for (String plural : List.of("gpuclaimparameters", "gpuclassparameters")) {
      int code = CLIENT.post(DEFINITIONS, definition(plural).toString()).code();
      assertThat(code).isIn(201, 409);
      if (code == 201) {
        MADE.add(DEFINITIONS + "/" + plural + "." + GROUP);
      }
      String list = "/apis/" + GROUP + "/v1alpha1/" + plural;
      await().until(() -> CLIENT.get(list).code() == 200);
    }
  }

  @AfterAll
  static void undefine() {
    for (String definition : MADE) {
      CLIENT.delete(definition);
      await().until(() -> CLIENT.get(definition).code() == 404);
    }
  }

  private static JsonNode definition(String plural) {
    try {
      URL yaml = Resources.getResource("io/gpudra/crds/" + plural + ".yaml");
      return new YAMLMapper().readTree(Resources.toString(yaml, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Client.Answer make(String spec) {
    return client.post(
        claimParameters + "?dryRun=All&fieldValidation=Strict", object("GpuClaimParameters", spec));
  }

  private Client.Answer makeClass(String spec) {
    return client.post(
        classParameters + "?dryRun=All&fieldValidation=Strict", object("GpuClassParameters", spec));
  }

  private static String object(String kind, String spec) {
    return json(
        "{'apiVersion':'%s/v1alpha1','kind':'%s','metadata':{'name':'x'},'spec':%s}"
            .formatted(GROUP, kind, spec));
  }

  /** The text of a Status without the name of the object and without brackets. */
  private static String text(Client.Answer answer) {
    String message = answer.message();
    int start = message.indexOf(MALFORMED);
    if (start >= 0) {
      return message.substring(start);
    }
    String problems = message.substring(message.indexOf(" is invalid: ") + 13);
    return problems.startsWith("[") && problems.endsWith(UNCHECKED)
        ? problems.substring(1, problems.length() - UNCHECKED.length())
        : problems;
  }

  @ParameterizedTest(name = "row {0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "1 | {'memroy':'16Gi'} | strict decoding error: unknown field \"spec.memroy\"",
        "2 | {'sharing':{'strategy':'MPS','mpsConfig':{'threads':50}}} | strict decoding error: unknown field \"spec.sharing.mpsConfig.threads\"",
        "4 | {'memory':'16'} | spec.memory: Invalid value: \"string\": write a size with a unit, such as 16Gi or 512Mi",
        "4 | {'memory':'16GB'} | spec.memory: Invalid value: \"string\": write a size with a unit, such as 16Gi or 512Mi",
        "5 | {'memory':16} | spec.memory: Invalid value: \"integer\": spec.memory in body must be of type string: \"integer\"",
        "6 | {'count':0} | spec.count: Invalid value: 0: spec.count in body should be greater than or equal to 1",
        "6 | {'count':65} | spec.count: Invalid value: 65: spec.count in body should be less than or equal to 64",
        "7 | {'capabilities':['tensorcores']} | spec.capabilities[0]: Unsupported value: \"tensorcores\": supported values: \"tensorCores\", \"nvlink\", \"mig\", \"ecc\", \"mps\", \"rtCores\", \"bf16\", \"fp8\", \"fp4\"",
        "8 | {'capabilities':['ecc','ecc']} | spec.capabilities[1]: Duplicate value: \"ecc\"",
        "9 | {'migProfile':'1g5gb'} | spec.migProfile: Invalid value: \"string\": write a MIG profile such as 1g.5gb, 3g.40gb, 1g.10gb+me, 2g.48gb+me.all or 1c.2g.10gb",
        "10 | {'mode':'Shared','memoryLimit':'4Gi'} | spec.mode: Unsupported value: \"Shared\": supported values: \"exclusive\", \"shared\"",
        "11 | {'mode':'shared'} | spec: Invalid value: \"object\": mode: shared needs memoryLimit, the part of the GPU's memory this claim may use, such as 4Gi",
        "12 | {'mode':'exclusive','memoryLimit':'4Gi'} | spec: Invalid value: \"object\": memoryLimit is a part of a GPU; it needs mode: shared",
        "13 | {'millicores':500} | spec: Invalid value: \"object\": millicores needs memoryLimit beside it",
        "14 | {'migProfile':'1g.5gb','memoryLimit':'2Gi'} | spec: Invalid value: \"object\": a MIG device is already a part of a GPU; it cannot be combined with mode: shared or memoryLimit",
        "15 | {'memory':'40Gi','memoryPerGpu':'40Gi'} | spec: Invalid value: \"object\": memory and memoryPerGpu mean the same (least memory of each device); set only one",
        "16 | {'count':2,'all':true} | spec: Invalid value: \"object\": count and all exclude each other",
        "17 | {'topology':'nvlink'} | spec: Invalid value: \"object\": topology needs at least two devices; raise count or drop topology",
        "18 | {'count':2,'topology':'NVLink'} | spec.topology: Unsupported value: \"NVLink\": supported values: \"nvlink\", \"pcie\", \"numa\"",
        "19 | {'count':2,'topology':'nvlink','migProfile':'1g.5gb'} | spec: Invalid value: \"object\": MIG devices have no NVLink; topology: nvlink cannot be combined with migProfile",
        "20 | {'memory':'4Gi','requests':[{'name':'a'}]} | spec: Invalid value: \"object\": with requests or alternatives, the fields count, all, memory, capabilities, migProfile, cel, mode, memoryLimit, millicores, sharing belong inside the entries",
        "21 | {'requests':[{'name':'a'},{'name':'a'}]} | spec.requests[1]: Duplicate value: map[string]interface {}{\"name\":\"a\"}",
        "22 | {'requests':[{'name':'a','count':40},{'name':'b','count':40}]} | spec: Invalid value: \"object\": at most 64 devices per claim over all requests",
        "23 | {'alternatives':[{'count':1}]} | spec.alternatives: Invalid value: 1: spec.alternatives in body should have at least 2 items",
        "28 | {'sharing':{'strategy':'Mps'}} | spec.sharing.strategy: Unsupported value: \"Mps\": supported values: \"TimeSlicing\", \"MPS\", \"SpacePartitioning\"",
        "29 | {'sharing':{'mpsConfig':{}}} | spec.sharing: Invalid value: \"object\": mpsConfig is only for strategy MPS",
        "30 | {'sharing':{'strategy':'MPS','mpsConfig':{'defaultActiveThreadPercentage':200}}} | spec.sharing.mpsConfig.defaultActiveThreadPercentage: Invalid value: 200: spec.sharing.mpsConfig.defaultActiveThreadPercentage in body should be less than or equal to 100",
        "30 | {'sharing':{'strategy':'MPS','mpsConfig':{'defaultPerDevicePinnedMemoryLimit':{'gpu0':'1Gi'}}}} | spec.sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit: Invalid value: \"object\": keys are a device's position in the claim (0 to 15) or its UUID",
        "31 | {'insideClaim':'gpu'} | spec: Invalid value: \"object\": insideClaim carves MIG devices out of another claim's GPU; it needs migProfile",
        "32 | {'tolerations':[{'key':'a','operator':'Exists','value':'x'}]} | spec.tolerations[0]: Invalid value: \"object\": operator Exists takes no value",
        "33 | {'placement':'packed'} | spec.placement: Unsupported value: \"packed\": supported values: \"pack\", \"spread\"",
        "of an entry | {'requests':[{'name':'a'},{'name':'b','mode':'shared'}]} | spec.requests[1]: Invalid value: \"object\": mode: shared needs memoryLimit, the part of the GPU's memory this claim may use, such as 4Gi",
        "of an entry | {'alternatives':[{},{'memory':'1'}]} | spec.alternatives[1].memory: Invalid value: \"string\": write a size with a unit, such as 16Gi or 512Mi",
        "beside | {'alternatives':[{},{'insideClaim':'gpu'}]} | strict decoding error: unknown field \"spec.alternatives[1].insideClaim\"",
      })
  void aClaimThatIsWrongIsRefused(String row, String spec, String text) {
    assertThat(text(make(spec))).isEqualTo(text);
  }

  @ParameterizedTest(name = "row {0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "34 | {'monitor':true} | spec: Invalid value: \"object\": monitor: true shows every GPU of a node; say in namespaceSelector which namespaces may use the class",
        "4.1 | {'monitor':true,'namespaceSelector':{},'limits':{}} | spec: Invalid value: \"object\": monitor claims take no devices; mode, sharing, placement, topology, enforceLimits and limits have no meaning",
        "4.1 | {'mode':'exclusive','memoryOvercommitPercent':150} | spec: Invalid value: \"object\": memoryOvercommitPercent needs mode: shared",
        "35 | {'mode':'shared','memoryOvercommitPercent':150,'sharing':{'strategy':'MPS'}} | spec: Invalid value: \"object\": memoryOvercommitPercent above 100 works only with TimeSlicing; MPS and SpacePartitioning enforce the limits",
        "topology | {'topologyPolicy':'Preferred'} | spec: Invalid value: \"object\": topologyPolicy needs topology",
        "topology | {'topology':'nvlink','deviceSelector':[{'type':'mig','name':'*'}]} | spec: Invalid value: \"object\": MIG devices have no NVLink; topology: nvlink cannot be combined with a deviceSelector of type mig only",
        "D12 | {'enforceLimits':true,'sharing':{}} | spec: Invalid value: \"object\": TimeSlicing enforces no limits; with enforceLimits the strategy of shares is MPS",
        "36 | {'sharable':false} | strict decoding error: unknown field \"spec.sharable\"",
        "37 | {'limits':{'claimDuration':'1 day'}} | spec.limits.claimDuration: Invalid value: \"string\": write a duration such as 24h or 1h30m",
      })
  void aClassThatIsWrongIsRefused(String row, String spec, String text) {
    assertThat(text(makeClass(spec))).isEqualTo(text);
  }

  /** Row 3. */
  @Test
  void anUnknownFieldIsRefusedByAnApplyToo() {
    Client.Answer answer =
        client.apply(
            claimParameters + "/x?fieldManager=test&dryRun=All",
            object("GpuClaimParameters", "{'memroy':'16Gi'}"));

    assertThat(answer.code()).isEqualTo(500);
    assertThat(answer.message()).contains(".spec.memroy: field not declared in schema");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{}",
        "{'count':4,'topology':'nvlink','memoryPerGpu':'40Gi'}",
        "{'all':true}",
        "{'memory':'16Gi','capabilities':['tensorCores','nvlink']}",
        "{'migProfile':'1g.5gb'}",
        "{'mode':'shared','memoryLimit':'4Gi','millicores':500}",
        "{'sharing':{'strategy':'TimeSlicing','timeSlicingConfig':{'interval':'Long'}}}",
        "{'requests':[{'name':'a','count':60},{'name':'b'},{'name':'c'},{'name':'d'},{'name':'e'}]}",
        "{'alternatives':[{'migProfile':'1g.5gb'},{'migProfile':'1g.10gb'}],'insideClaim':'gpu'}",
        "{'tolerations':[{'operator':'Exists'},{'key':'a','value':'b','effect':'NoExecute','tolerationSeconds':5}]}",
      })
  void aClaimThatIsRightIsTaken(String spec) {
    assertThat(make(spec).code()).isEqualTo(201);
  }
}
