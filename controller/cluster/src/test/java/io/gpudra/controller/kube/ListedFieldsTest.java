package io.gpudra.controller.kube;

import static io.gpudra.controller.client.ScriptedServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Sets;
import io.gpudra.controller.client.HttpClients;
import io.gpudra.controller.client.LenientJson;
import io.gpudra.controller.client.ScriptedServer;
import io.gpudra.controller.client.watch.LiveObjects;
import io.gpudra.controller.client.watch.WatchedKind;
import io.gpudra.controller.kube.mapping.ClaimMapping;
import io.gpudra.controller.kube.mapping.GatedPodMapping;
import io.gpudra.controller.kube.mapping.PodMapping;
import io.gpudra.controller.kube.mapping.ResourceKinds;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A list asks for each field that is read of its objects: one left out would be empty silently. */
class ListedFieldsTest {
  private static final String DRIVER = "gpu.example.com";
  private static final PodMapping PODS = new PodMapping(30, DRIVER);
  private static final ClaimMapping CLAIMS = new ClaimMapping(DRIVER, DRIVER + "/own");

  private static final String METADATA =
      "'namespace':'ns','name':'o','uid':'u','resourceVersion':'7',"
          + "'creationTimestamp':'2026-11-21T10:00:00Z','deletionTimestamp':'2026-11-21T10:01:00Z',"
          + "'ownerReferences':[{'apiVersion':'v1','kind':'Pod','name':'p','uid':'owner',"
          + "'controller':true}]";

  private static final String CONTAINERS =
      "[{'name':'c','image':'i','ports':[{'hostPort':80}],'resources':{'requests':{'cpu':'1'},"
          + "'claims':[{'name':'a'},{'name':'b'}]}}]";

  private static final String RUNNING =
      "{'metadata':{'namespace':'ns','name':'r','uid':'r-uid'},'spec':{'nodeName':'worker-1',"
          + "'resourceClaims':[{'name':'a','source':{'resourceClaimName':'x'}},"
          + "{'name':'b','source':{'resourceClaimTemplateName':'t'}}]},'status':{"
          + "'phase':'Running','resourceClaimStatuses':[{'name':'b','resourceClaimName':'y'}]}}";

  private static final String POD =
      "{'metadata':{"
          + METADATA
          + ",'labels':{'gpu.example.com/group':'g','gpu.example.com/group-size':'4',"
          + "'kueue.x-k8s.io/pod-group-name':'other'},"
          + "'annotations':{'kueue.x-k8s.io/pod-group-total-count':'5'}},"
          + "'spec':{'nodeName':'worker-1','priority':7,'schedulerName':'volcano',"
          + "'schedulingGates':[{'name':'gpu.example.com/granted'},{'name':'kueue'}],"
          + "'nodeSelector':{'zone':'a'},"
          + "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
          + "{'nodeSelectorTerms':[{'matchExpressions':[{'key':'pool','operator':'In',"
          + "'values':['x']}],'matchFields':[{'key':'metadata.name','operator':'In',"
          + "'values':['worker-1']}]}]}}},"
          + "'tolerations':[{'key':'k','operator':'Equal','value':'v','effect':'NoSchedule'}],"
          + "'overhead':{'cpu':'100m'},"
          + "'resourceClaims':[{'name':'a','source':{'resourceClaimName':'x'}},"
          + "{'name':'b','source':{'resourceClaimTemplateName':'t'}}],"
          + "'initContainers':"
          + CONTAINERS
          + ",'containers':"
          + CONTAINERS
          + "},'status':{'phase':'Failed','nominatedNodeName':'worker-2',"
          + "'conditions':[{'type':'Ready','status':'False'},{'type':'PodScheduled',"
          + "'status':'False','reason':'Unschedulable','message':'0/3 nodes are available'}],"
          + "'resourceClaimStatuses':[{'name':'b','resourceClaimName':'o-b'}]}}";

  private static final String ALLOCATED =
      "{'metadata':{"
          + METADATA
          + ",'finalizers':['gpu.example.com/own','dra.k8s.io/delete-protection']},"
          + "'spec':{'resourceClassName':'gpu','parametersRef':{'apiGroup':'g','kind':'K',"
          + "'name':'x'}},'status':{'driverName':'gpu.example.com','deallocationRequested':true,"
          + "'allocation':{'shareable':true,'resourceHandles':[{'driverName':'gpu.example.com',"
          + "'data':'{}'}],'availableOnNodes':{'nodeSelectorTerms':[{'matchFields':[{"
          + "'key':'metadata.name','operator':'In','values':['worker-1']}]}]}},"
          + "'reservedFor':[{'apiGroup':'g','resource':'pods','name':'p','uid':'owner'}]}}";

  private static final String WAITING =
      "{'metadata':{"
          + METADATA
          + "},'spec':{'resourceClassName':'gpu','allocationMode':'Immediate'},"
          + "'status':{'driverName':'gpu.example.com'}}";

  private static final String CONTEXT =
      "{'metadata':{"
          + METADATA
          + "},'spec':{'selectedNode':'worker-1','potentialNodes':['worker-2']},"
          + "'status':{'resourceClaims':[{'name':'a','unsuitableNodes':['worker-2']}]}}";

  private static final String CLASS =
      "{'metadata':{"
          + METADATA
          + "},'driverName':'gpu.example.com','structuredParameters':true,'parametersRef':{"
          + "'apiGroup':'g','kind':'K','namespace':'ns','name':'x'},'suitableNodes':{"
          + "'nodeSelectorTerms':[{'matchExpressions':[{'key':'pool','operator':'In',"
          + "'values':['x']}],'matchFields':[{'key':'metadata.name','operator':'In',"
          + "'values':['worker-1']}]}]}}";

  private static final String NODE =
      "{'metadata':{"
          + METADATA
          + ",'labels':{'zone':'a'}},'spec':{'unschedulable':true,'taints':[{'key':'k',"
          + "'value':'v','effect':'NoSchedule'}]},'status':{'allocatable':{'cpu':'8'},"
          + "'conditions':[{'type':'Ready','status':'True'}]}}";

  private static final String NAMESPACE =
      "{'metadata':{'name':'ns','uid':'u','labels':{'team':'a'}}}";

  static Stream<Arguments> kinds() {
    return Stream.of(
        Arguments.of(ResourceKinds.podViews(30, DRIVER), List.of(POD), List.of()),
        Arguments.of(
            ResourceKinds.gatedPods(DRIVER, new GatedPodMapping(PODS)::pod),
            List.of(POD),
            List.of()),
        Arguments.of(ResourceKinds.members(PODS, "ns", "a=b"), List.of(POD, RUNNING), List.of()),
        Arguments.of(ResourceKinds.claims(CLAIMS::keep), List.of(ALLOCATED, WAITING), List.of()),
        Arguments.of(ResourceKinds.contexts(), List.of(CONTEXT), List.of()),
        Arguments.of(ResourceKinds.classes(), List.of(CLASS), List.of()),
        // Whether its labels are too many.
        Arguments.of(ResourceKinds.nodes(), List.of(NODE), List.of("crowded")),
        Arguments.of(ResourceKinds.namespaces(), List.of(NAMESPACE), List.of()));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  <T, V> void whatIsReadOfAnObjectIsInTheList(
      WatchedKind<T, V> kind, List<String> objects, List<String> empty) throws IOException {
    List<V> whole =
        objects.stream()
            .map(object -> LenientJson.gson().fromJson(quoted(object), kind.type()))
            .map(kind.keep())
            .toList();
    assertThat(emptyParts(whole)).as("each is in the test").containsExactlyElementsOf(empty);
    assertThat(listed(kind, objects)).isEqualTo(whole);
  }

  private static String quoted(String text) {
    return text.replace('\'', '"');
  }

  private static <T, V> List<V> listed(WatchedKind<T, V> kind, List<String> objects)
      throws IOException {
    String list =
        "{'metadata':{'resourceVersion':'9'},'items':[%s]}".formatted(String.join(",", objects));
    List<V> found = new ArrayList<>();
    try (ScriptedServer server = new ScriptedServer(call -> json(200, quoted(list)));
        HttpClients http = server.client()) {
      new LiveObjects<>(http, kind, bad -> {}).list(kept -> found.add(kept.value()));
    }
    return found;
  }

  /** The accessors that have no value in any of these. */
  private static Set<String> emptyParts(Collection<?> values) {
    Set<String> all = new TreeSet<>();
    Set<String> filled = new TreeSet<>();
    values.forEach(value -> read("", value, all, filled));
    return Sets.difference(all, filled);
  }

  private static void read(String path, Object value, Set<String> all, Set<String> filled) {
    if (value instanceof Optional<?> some) {
      some.ifPresent(inner -> read(path, inner, all, filled));
    } else if (value instanceof Collection<?> some) {
      some.forEach(inner -> read(path, inner, all, filled));
    } else if (value instanceof Record some) {
      filled.add(path);
      components(some).forEach(component -> read(path, some, component, all, filled));
    } else if (!ImmutableList.of("", 0, false, Instant.EPOCH, Map.of()).contains(value)) {
      filled.add(path);
    }
  }

  private static Stream<RecordComponent> components(Record some) {
    return Stream.of(some.getClass().getRecordComponents());
  }

  private static void read(
      String path, Record owner, RecordComponent component, Set<String> all, Set<String> filled) {
    String name = path.isEmpty() ? component.getName() : path + "." + component.getName();
    all.add(name);
    try {
      component.getAccessor().setAccessible(true);
      read(name, component.getAccessor().invoke(owner), all, filled);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(name, e);
    }
  }
}
