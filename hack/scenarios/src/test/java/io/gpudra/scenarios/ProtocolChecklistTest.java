package io.gpudra.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Where each rule that the controller must keep is tested: the lines of the conformance checklist
 * (testing.md 3), the properties of the allocation core (allocation.md 9), and what is malformed.
 *
 * <p>A rule ends with a colon; indented under it are its tests. Lines 25 to 32 and 34 are the
 * plugin's; where our design differs from a line, the line says what holds instead.
 */
class ProtocolChecklistTest {

  private static final String TABLE =
      """
      1 the initial list is processed once, and nothing before all caches are filled:
        client.watch.InformerTest.tellsTheListThenTheEvents
        client.watch.InformerTest.tellsNothingTwiceAndNothingOld
        loop.WorkLoopTest.aKeyAddedTwiceIsReconciledOnce
        kube.NodeFeedTest.tellsNothingBeforeBothListsAreThereAndThenEachNodeOnce
        app.ControllerLifecycleTest.nothingIsWrittenBeforeEveryCacheIsFilled
      2 every change is looked at, deletions too; missed deletions are noticed:
        client.watch.InformerTest.listsAnewWhenTheServerForgotThePlaceAndTellsWhatWentMeanwhile
        client.watch.InformerTest.losesNoneOfFiftyThousandAtOnce
        kube.KubeClusterTest.seesWhatIsThereAndHearsWhatComes
        dra.engine.ScenarioTest.aClaimThatAppearsLaterThanItsContextIsFoundWithoutAWait
        dra.queue.RequeuerTest.aClaimThatChangesOrGoesIsLookedAtWithThePodsThatNameIt
        dra.queue.RequeuerTest.aContextThatChangesOrGoesIsLookedAtAndItsClaimsWhenItIsGone
        dra.allocator.BatchTest.aClaimRemovedByForceAfterItsGrantIsForgottenWhenItsBatchIsSettled
      3 one key is never processed concurrently, distinct keys are:
        loop.WorkLoopTest.noKeyIsLostAndNoneRunsTwiceAtOnceWithManyWorkers
        loop.WorkLoopTest.aKeyAddedWhileItIsWorkedOnIsReconciledAgain
        loop.WorkLoopTest.differentKeysAreReconciledSideBySide
      4 failures back off, success forgets, what waits is polled with jitter:
        loop.WorkLoopTest.failuresWaitFiveMillisecondsDoublingToAMinuteAndSuccessForgetsThem
        loop.WorkLoopTest.ofSeveralDelaysTheEarliestCountsAndAnEventMakesThemNeedless
        dra.queue.WaitQueueTest.thePollKeepsItsTimeWhateverHappensInBetween
      5 Warning events with a text and (H17) a reason of their own:
        client.EventSinkTest.postsAWarningWithQuotesAndNewlines
        client.EventSinkTest.raisesTheCountOfTheSameWarningAndPostsAnother
        dra.engine.PodPathTest.wrongParametersAreToldOnTheClaimAndByTheClaimsNameOnThePod
        dra.allocator.BatchTest.aRefusedCommitIsPublishedForEveryPendingClaimInTheSamePass
        dra.engine.ReleaseTest.aReleaseThatTheServerRefusesIsToldAndTriedAgainAndKeepsTheDevices
        kube.KubeReportSinkTest.tellsTheSameOnceAndAgainAfterFiveMinutes
      6 every row of the claim table, with the combinations:
        dra.claims.ClaimRulesTest.theFirstLineThatMatchesDecides
        dra.claims.ClaimRulesTest.everyLineOfTheTableHasARow
        dra.engine.HelperCasesTest.weDoWhatTheTableSays
        dra.engine.ReleaseTest.anotherDriversAllocationStaysAndOnlyOurFinalizerGoes
        dra.engine.ReleaseTest.aRequestWithoutAnAllocationIsClearedBeforeTheFinalizerGoes
      7 write order and count, each with the current resourceVersion:
        dra.engine.ScenarioTest.aPodWithOneClaimCostsThreeCallsAndItsReleaseTwo
        dra.allocator.BatchTest.allFinalizersAreWrittenBeforeTheFirstGrant
        kube.KubeClaimStoreTest.everyWriteIsAPatchOfOneHalfWithTheVersionAndUidThatWereRead
      8 one status write clears allocation, driverName and deallocationRequested:
        kube.KubeClaimStoreTest.clearDropsAllocationDriverNameAndRequestInOneWrite
        kube.KubeClusterTest.writesAClaimsWholeLife
      9 an Immediate claim is allocated again after deallocationRequested:
        dra.engine.ReleaseTest.anImmediateClaimThatIsReleasedOnRequestIsAllocatedAgain
      10 foreign finalizers are preserved:
        kube.KubeClaimStoreTest.addFinalizerKeepsOthers
        kube.KubeClaimStoreTest.removeFinalizerKeepsOthers
      11 a 409 on each write is retried with a fresh object and reserves nothing twice:
        dra.allocator.BatchTest.aConflictIsReadAgainAndWrittenAgainAtOnceWithTheSameHandle
        dra.allocator.BatchTest.aWriteWhoseReplyWasLostIsFoundByItsConflict
        dra.engine.ReleaseTest.aDeleteJustBeforeAWriteIsReadAndFinishedAtOnceWithoutAWarning
        kube.KubeClusterTest.aConflictIsAConflictAndACutWatchGoesOn
      12 structured classes and the built-in finalizers are untouched:
        dra.engine.PodPathTest.whatTheSchedulerAllocatesIsUntouchedInBothModes
        kube.SmallReadsTest.knowsAClassWhoseClaimsTheSchedulerAllocates
        kube.mapping.ClaimMappingTest.theBuiltInFinalizersMeanStructured
      13 rows P1-P13 and K1-K10 on each version profile:
        kube.mapping.PodMappingTest.resolves
        dra.scheduling.SchedulingRulesTest.eachEntryOfAPodIsOursOrInTheWayOrNeither
        dra.engine.PodPathTest.aPodThatCannotRunGetsNothingAndNobodyIsTold
        dra.engine.HelperCasesTest.weDoWhatTheTableSays
      14 an entry with an empty list where the scheduler waits for it, as for several claims:
        dra.scheduling.SchedulingRulesTest.anEmptyEntryIsWrittenOnlyWhenTheSchedulerWaitsForSeveral
        dra.engine.PodPathTest.twoPendingClaimsThatFitEverywhereEachGetTheirEmptyEntry
      15 entries of other drivers are preserved:
        kube.KubeClusterTest.appliesOurEntriesBesideThoseOfOthers
        kube.KubeContextStoreTest.appliesOurEntriesByForceToThisVeryContext
      16 a selected node outside the potential ones is checked; lists are cut at 128:
        dra.scheduling.SchedulingRulesTest.judgesPotentialSelectedAndPublishedNodesButNoMoreThan257
        dra.scheduling.SchedulingRulesTest.listsAreCappedWithTheSelectedNodeFirstAndComparedAfterwards
        dra.engine.HelperCasesTest.weDoWhatTheTableSays
      17 a selected node alone is allocated without asking for suitability:
        dra.engine.ScenarioTest.aNodeChosenWithoutPotentialNodesIsAllocatedWithoutASuitabilityCheck
      18 a selected node that one claim cannot have is allocated for none:
        dra.engine.PodPathTest.aNodeThatOneClaimCannotHaveIsAllocatedForNone
        gpu.GpuDriverTest.allocationIsForAllClaimsOrNone
      19 allocated claims are neither judged nor looked up:
        dra.engine.PodPathTest.anAllocatedClaimIsNeitherJudgedNorAreItsClassAndParametersReadAgain
      20 partial success is kept, the failure is reported by name (architecture.md 6.5):
        dra.allocator.BatchTest.aClaimThatGoesAmidTheGrantsIsGivenBackAloneAndTheOtherStaysReserved
        dra.allocator.BatchTest.aClaimThatGoesBeforeAnyGrantEndsTheWholeBatchWithoutAGrant
      21 the reservedFor entry, and none without a pod:
        kube.KubeClaimStoreTest.allocateWritesOneHandleItsOnlyNodeAndThePod
        kube.KubeClaimStoreTest.allocateAnImmediateClaimReservesItForNobody
      22 duplicate references, missing claim, missing class, bad parameters:
        dra.engine.ScenarioTest.oneClaimUnderTwoNamesIsAllocatedOnce
        dra.scheduling.SchedulingRulesTest.twoEntriesForOneClaimAreOneClaimWithBothNames
        dra.engine.PodPathTest.whileOneClaimOfAPodIsMissingNoneIsAllocated
        dra.engine.ScenarioTest.aLateClassWakesItsClaimsInBothModes
        dra.engine.ScenarioTest.missingAndWrongParametersAreToldAndWokenWhenTheyChange
        dra.engine.PodPathTest.wrongParametersAreToldOnTheClaimAndByTheClaimsNameOnThePod
      23 context deleted, owner mismatch, pod deleting, pod gone:
        dra.engine.PodPathTest.aPodThatCannotRunGetsNothingAndNobodyIsTold
        dra.scheduling.PodReadCacheTest.theEndOfAPodIsFinal
        kube.SmallReadsTest.readsThePodOfThisUidOnly
        kube.KubeContextStoreTest.aContextWithoutControllerBelongsToNoPod
      24 nothing changed, nothing written:
        dra.engine.ScenarioTest.aRecheckThatChangesNothingCostsNoCall
        dra.scheduling.SchedulingRulesTest.anEntryThatSaysTheSameInAnotherOrderIsNoNews
      24a a finished pod gets nothing, whatever its claim does:
        dra.engine.ScenarioTest.aFinishedPodIsLeftAloneAndReadOnceWhateverItsClaimDoes
        dra.engine.PodPathTest.aFinishedPodReservedAndUnreservedAllTheTimeCostsOneRead
        kube.mapping.PodMappingTest.knowsAFinishedPod
      24b a DELETE between any two writes of a release:
        dra.engine.ReleaseTest.aDeleteJustBeforeAWriteIsReadAndFinishedAtOnceWithoutAWarning
        dra.engine.ReleaseTest.aClaimThatIsGoneBeforeItsStatusIsClearedGivesItsDevicesBack
      35 driver names longer than 26 characters are refused:
        app.ControllerOptionsTest.whatCannotWorkIsTold
      9.2 the helper's 31 cases in one table:
        dra.engine.HelperCasesTest.weDoWhatTheTableSays
        dra.engine.HelperCasesTest.theTableIsCompleteAndEachDifferenceHasItsReason
      crash the controller dies before or after each of its writes:
        dra.engine.CrashTest.aNewLeaderFinishesWhatADeadOneBegan
        dra.engine.CrashTest.aWorkerThatFailsGoesOnInTheSameProcess
        dra.engine.CrashTest.theFenceMakesALateStatusWriteOfTheOldLeaderImpossible
      malformed objects and handles stop nobody:
        client.watch.InformerTest.skipsAMalformedObjectAndReportsItByName
        client.watch.InformerTest.keepsTheLastGoodStateOfAnObjectThatBecameMalformed
        kube.NodeFeedTest.aMalformedInventoryIsReportedOnItselfOnce
        kube.mapping.ClaimMappingTest.anOddClaimStillReads
        gpu.ParametersResolverTest.whatIsWrongInAnObjectIsToldWithItsPath
        gpu.GpuDriverTest.anUnreadableHandleClosesItsNodeAndIsTold
        gpu.GpuDriverTest.anUnreadableHandleOfNoNodeIsToldAndClosesNone
        allocation.LedgersTest.anUnreadableHandleClosesItsNodeUntilTheApiNoLongerShowsIt
      property: no commit takes an occupied device, each is within the inventory it saw:
        allocation.LedgersPropertiesTest.noCommitTakesAnOccupiedDeviceOrOneTheNodeDoesNotHave
        allocation.LedgersStressTest.noDeviceAndNoClaimIsEverHeldTwice
      property: all claims of a batch or none:
        allocation.LedgersPropertiesTest.commitsAllClaimsOfABatchOrNone
      property: a commit repeated is the same commit:
        allocation.LedgersPropertiesTest.committingAgainGivesTheSameGrantsAndChangesNothing
      property: commit, then release leaves no trace:
        allocation.LedgersPropertiesTest.commitAndReleaseLeaveNoTrace
      property: what fits can be committed:
        allocation.LedgersPropertiesTest.whatFitsCanBeCommitted
      property: the order of the input does not matter:
        allocation.PlacerPropertiesTest.answersTheSameWhateverTheOrderOfTheClaims
      property: equals brute force up to six devices:
        allocation.PlacerPropertiesTest.placesExactlyWhatBruteForceCanPlace
      property: more free devices never hurt:
        allocation.PlacerPropertiesTest.neverRefusesBecauseMoreDevicesAreFree
      property: fold(list) is the ledger when nothing is owned:
        allocation.LedgersPropertiesTest.aFreshFoldOverApiAndInventoriesIsTheLedger
      """;

  static Stream<String> tests() {
    return TABLE.lines().filter(line -> line.startsWith(" ")).map(String::trim).distinct();
  }

  @ParameterizedTest
  @MethodSource("tests")
  void aTestOfTheTableExistsAndRuns(String test) throws IOException {
    SourceFiles.assertIsATest("controller." + test);
  }

  @Test
  void noLineOfTheControllerIsMissingAndEachHasATest() {
    List<String> numbered =
        TABLE
            .lines()
            .map(line -> Splitter.on(' ').splitToList(line).get(0))
            .filter(word -> word.matches("\\d+[ab]?"))
            .toList();
    Stream<String> upTo24 = IntStream.rangeClosed(1, 24).mapToObj(Integer::toString);
    assertThat(numbered)
        .containsExactlyElementsOf(Stream.concat(upTo24, Stream.of("24a", "24b", "35")).toList());
    assertThat(TABLE).doesNotContainPattern(":\n(?! )");
    assertThat(rules()).allMatch(rule -> rule.endsWith(":"));
  }

  private static ImmutableList<String> rules() {
    return Arrays.stream(TABLE.split("\n", -1))
        .filter(line -> !line.isEmpty() && !line.startsWith(" "))
        .collect(ImmutableList.toImmutableList());
  }
}
