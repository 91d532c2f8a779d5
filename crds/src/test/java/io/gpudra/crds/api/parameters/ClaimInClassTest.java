package io.gpudra.crds.api.parameters;

import static io.gpudra.crds.api.parameters.ParameterRulesTest.claim;
import static io.gpudra.crds.api.parameters.ParameterRulesTest.ofClass;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What goes with one class and not with another (API page 2.2, 2.8, 4.1). */
class ClaimInClassTest {

  private static final Map<String, String> CLASSES =
      ImmutableMap.<String, String>builder()
          .put("any", "{}")
          .put("shared", "{'mode':'shared'}")
          .put("exclusive", "{'mode':'exclusive'}")
          .put("mig", "{'deviceSelector':[{'type':'mig','name':'*'}]}")
          .put("gpu", "{'deviceSelector':[{'type':'gpu','name':'*'}]}")
          .put(
              "both",
              "{'deviceSelector':[{'type':'gpu','name':'*A100*'},{'type':'mig','name':'*'}]}")
          .put("team", "{'limits':{'devicesPerClaim':4}}")
          .put("monitor", "{'monitor':true,'namespaceSelector':{}}")
          .put("double", "{'mode':'shared','memoryOvercommitPercent':200}")
          .put(
              "parts",
              "{'sharing':{'strategy':'SpacePartitioning','spacePartitioningConfig':{'partitionCount':2}}}")
          .put("served", "{'sharing':{'strategy':'MPS'}}")
          .put(
              "served mig",
              "{'deviceSelector':[{'type':'mig','name':'*'}],'sharing':{'strategy':'MPS'}}")
          .put("linked", "{'topology':'nvlink'}")
          .put("near", "{'topology':'numa','topologyPolicy':'Preferred'}")
          .put("enforced", "{'enforceLimits':true}")
          .put("limited", "{'enforceLimits':true,'sharing':{'strategy':'MPS'}}")
          .put("slow", "{'sharing':{'timeSlicingConfig':{'interval':'Long'}}}")
          .buildOrThrow();

  @ParameterizedTest(name = "{0}: {1} {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "2.2 | shared | {'mode':'exclusive'} | spec.mode: Forbidden: class \"shared\" is shared",
        "2.2 | exclusive | {'mode':'shared','memoryLimit':'4Gi'} | spec.mode: Forbidden: class \"exclusive\" is exclusive",
        "2.2 | exclusive | {'memoryLimit':'4Gi'} | spec.memoryLimit: Forbidden: class \"exclusive\" is exclusive",
        "2.2 | shared | {} | spec.memoryLimit: Required value: class \"shared\" is shared; say which part of the GPU's memory this claim may use, such as 4Gi",
        "2.2 | shared | {'migProfile':'1g.5gb'} | spec.migProfile: Forbidden: class \"shared\" is shared",
        "2.2 | shared | {'all':true} | spec.all: Forbidden: class \"shared\" is shared",
        "2.2 | shared | {'requests':[{'name':'a','memoryLimit':'1Gi'},{'name':'b','mode':'exclusive'}]} | spec.requests[1].mode: Forbidden: class \"shared\" is shared",
        "2.2 | shared | {'memoryLimit':'4Gi'} | ",
        "2.2 | exclusive | {'migProfile':'1g.5gb'} | ",
        "2.2 | any | {'mode':'shared','memoryLimit':'4Gi'} | ",
        "M15 | team | {'count':5} | class \"team\" allows 4 devices per claim, 5 wanted",
        "M15 | team | {'count':4} | ",
        "M15 | team | {'all':true} | class \"team\" allows 4 devices per claim, all wanted",
        "M15 | team | {'requests':[{'name':'a','count':3},{'name':'b','count':2}]} | class \"team\" allows 4 devices per claim, 5 wanted",
        "M15 | team | {'alternatives':[{'count':3},{'count':6}]} | class \"team\" allows 4 devices per claim, 6 wanted",
        "M15 | team | {'alternatives':[{'count':3},{'count':2}]} | ",
        "M15 | mig | {'all':true} | class \"mig\" hands out MIG devices only",
        "M15 | mig | {'memoryLimit':'4Gi'} | class \"mig\" hands out MIG devices only",
        "M15 | mig | {'count':2} | ",
        "M15 | mig | {'migProfile':'1g.5gb'} | ",
        "M15 | both | {'all':true} | ",
        "M15 | both | {'migProfile':'1g.5gb'} | ",
        "M15 | gpu | {'migProfile':'1g.5gb'} | class \"gpu\" hands out whole GPUs only",
        "M15 | gpu | {'memoryLimit':'4Gi'} | ",
        "V7 | mig | {'capabilities':['nvlink']} | spec: Invalid value: \"object\": MIG devices have no NVLink; drop nvlink from capabilities",
        "V9 | mig | {'sharing':{'timeSlicingConfig':{'interval':'Long'}}} | spec: Invalid value: \"object\": the time slice of a MIG device cannot be changed; drop timeSlicingConfig",
        "V15 | mig | {'count':2,'topology':'nvlink'} | spec.topology: Forbidden: class \"mig\" hands out MIG devices, which have no NVLink",
        "V8 | parts | {'migProfile':'1g.5gb'} | class \"parts\": spec: Invalid value: \"object\": SpacePartitioning does not work on MIG devices; use a smaller migProfile",
        "V9 | slow | {'migProfile':'1g.5gb'} | class \"slow\": spec: Invalid value: \"object\": the time slice of a MIG device cannot be changed; drop timeSlicingConfig",
        "V8 | parts | {'migProfile':'1g.5gb','sharing':{'strategy':'MPS'}} | ",
        "V8 | parts | {} | ",
        "M19 | double | {'memoryLimit':'4Gi','sharing':{'strategy':'MPS'}} | spec.sharing.strategy: Forbidden: class \"double\" promises more memory than there is, which works only with TimeSlicing",
        "M19 | double | {'memoryLimit':'4Gi','sharing':{}} | ",
        "server | served | {'migProfile':'1g.5gb','count':2} | class \"served\": spec: an MPS server has one MIG device, and the claim wants 2 devices with MPS; make a claim of each",
        "server | served mig | {'count':2} | class \"served mig\": spec: an MPS server has one MIG device, and the claim wants 2 devices with MPS; make a claim of each",
        "server | mig | {'count':2,'sharing':{'strategy':'MPS'}} | class \"mig\": spec: an MPS server has one MIG device, and the claim wants 2 devices with MPS; make a claim of each",
        "server | served | {'requests':[{'name':'a','migProfile':'1g.5gb'},{'name':'b','migProfile':'1g.5gb','sharing':{}}]} | ",
        "server | served | {'count':2} | ",
        "server | served mig | {} | ",
        "server | mig | {'migProfile':'1g.5gb','count':2,'sharing':{'strategy':'MPS'}} | ",
        "topology | linked | {'count':2,'topology':'numa'} | spec.topology: Forbidden: class \"linked\" requires topology: nvlink",
        "topology | linked | {'count':2,'topology':'nvlink','topologyPolicy':'Preferred'} | spec.topologyPolicy: Forbidden: class \"linked\" requires topology: nvlink",
        "topology | linked | {'count':2,'migProfile':'1g.5gb'} | spec.migProfile: Forbidden: class \"linked\" requires topology: nvlink; MIG devices have no NVLink",
        "topology | linked | {'requests':[{'name':'a'},{'name':'b','migProfile':'1g.5gb'}]} | spec.requests[1].migProfile: Forbidden: class \"linked\" requires topology: nvlink; MIG devices have no NVLink",
        "topology | linked | {'alternatives':[{'count':2},{'migProfile':'1g.5gb'}]} | ",
        "topology | linked | {'migProfile':'1g.5gb'} | ",
        "topology | linked | {'count':2,'topology':'nvlink'} | ",
        "topology | linked | {'count':2} | ",
        "topology | near | {'count':2,'topology':'nvlink'} | ",
        "topology | near | {'count':2,'migProfile':'1g.5gb'} | ",
        "D12 | enforced | {'memoryLimit':'4Gi'} | spec.sharing.strategy: Required value: class \"enforced\" insists on limits that are enforced, supported values: \"MPS\"",
        "D12 | enforced | {'memoryLimit':'4Gi','sharing':{}} | spec.sharing.strategy: Unsupported value: \"TimeSlicing\": class \"enforced\" insists on limits that are enforced, supported values: \"MPS\"",
        "D12 | limited | {'requests':[{'name':'a'},{'name':'b','memoryLimit':'4Gi','sharing':{}}]} | spec.requests[1].sharing.strategy: Unsupported value: \"TimeSlicing\": class \"limited\" insists on limits that are enforced, supported values: \"MPS\"",
        "D12 | limited | {'memoryLimit':'4Gi'} | ",
        "D12 | enforced | {'memoryLimit':'4Gi','sharing':{'strategy':'MPS'}} | ",
        "D12 | enforced | {'count':2,'sharing':{}} | ",
        "D12 | enforced | {'migProfile':'1g.5gb'} | ",
        "M17 | monitor | {'cel':'true'} | ",
        "M17 | monitor | {'cel':'true','count':2} | spec.count: Forbidden: monitor claims take no devices",
        "M17 | monitor | {'placement':'pack','shareable':false} | spec.placement: Forbidden: monitor claims take no devices; spec.shareable: Forbidden: monitor claims take no devices",
      })
  void whatTheClassDoesNotAllowIsTold(String number, String name, String spec, String problems) {
    List<String> expected =
        problems == null
            ? List.of()
            : problems.startsWith("spec.placement")
                ? Splitter.on("; ").splitToList(problems)
                : List.of(problems);

    GpuClassParametersSpec ofClass = ofClass(CLASSES.getOrDefault(name, ""));
    boolean limit = number.equals("M15");
    assertThat(ofClass.notGivenTo(claim(spec), name))
        .containsExactlyElementsOf(limit ? expected : List.of());
    assertThat(ofClass.problemsOf(claim(spec), name))
        .containsExactlyElementsOf(limit ? List.of() : expected);
  }

  /** A field that is added later must not slip through a monitor class. */
  @Test
  void everyFieldOfAClaimIsSeen() {
    String all =
        """
        {'count':1,'all':true,'memory':'1Gi','memoryPerGpu':'1Gi','capabilities':['ecc'],
         'migProfile':'1g.5gb','cel':'true','mode':'shared','memoryLimit':'1Gi','millicores':1,
         'sharing':{},'requests':[],'alternatives':[],'topology':'numa','topologyPolicy':'Required',
         'sameAttribute':['brand'],'insideClaim':'a','placement':'pack','tolerations':[],
         'shareable':true}""";

    assertThat(claim(all).presentFields())
        .containsExactlyElementsOf(
            Arrays.stream(GpuClaimParametersSpec.class.getRecordComponents())
                .map(RecordComponent::getName)
                .toList());
    assertThat(claim("{}").presentFields()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{} | true",
        "{'matchLabels':{'team':'a'}} | true",
        "{'matchLabels':{'team':'b'}} | false",
        "{'matchLabels':{'team':'a','other':'c'}} | false",
        "{'matchExpressions':[{'key':'team','operator':'In','values':['b','a']}]} | true",
        "{'matchExpressions':[{'key':'other','operator':'In','values':['a']}]} | false",
        "{'matchExpressions':[{'key':'team','operator':'NotIn','values':['a']}]} | false",
        "{'matchExpressions':[{'key':'other','operator':'NotIn','values':['a']}]} | true",
        "{'matchExpressions':[{'key':'team','operator':'Exists'}]} | true",
        "{'matchExpressions':[{'key':'team','operator':'DoesNotExist'}]} | false",
        "{'matchExpressions':[{'key':'team','operator':'Gt','values':['a']}]} | false",
        "{'matchExpressions':[null]} | false",
        "{'matchLabels':{'team':'a'},'matchExpressions':[{'key':'team','operator':'DoesNotExist'}]} | false",
      })
  void namespacesAreSelectedByTheirLabels(String selector, boolean selected) {
    Map<String, String> labels = Map.of("team", "a");

    assertThat(ofClass("{'namespaceSelector':" + selector + "}").namespaceSelector())
        .matches(namespaces -> namespaces.matches(labels) == selected);
  }
}
