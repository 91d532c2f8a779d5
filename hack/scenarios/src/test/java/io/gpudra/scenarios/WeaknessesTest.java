package io.gpudra.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The weaknesses of earlier drivers for classic dynamic resource allocation, and which test shows
 * that this one does not have them.
 *
 * <p>A weakness ends with a colon; indented under it are its tests, or why it cannot be here.
 */
class WeaknessesTest {

  private static final String TABLE =
      """
      W1 a lock taken twice freezes the controller, and no probe notices:
        controller.allocation.LedgersStressTest.noDeviceAndNoClaimIsEverHeldTwice
        controller.loop.WorkLoopTest.theOldestKeyUnderWayShowsAStuckWorker
        controller.app.StuckWorkerTest.theProbeNamesWhatTheWorkerHangsInUntilItGoesOn
        controller.app.ControllerEndpointsTest.whatOnlyARestartMendsIsNotAlive
      W2 a claim that was looked at but never placed keeps devices for ever:
        controller.allocation.LedgersTest.aQuestionChangesNothing
      W3 a pending claim keeps devices on every node that would do:
        controller.allocation.LedgersTest.aQuestionChangesNothing
        scenarios.cluster.WaitersTest.eightWaitersFollowEightPodsWithoutWaitingForAHeartbeat
      W4 parameters edited while a claim waits make it unplaceable or hand out the wrong GPU:
        controller.gpu.ParametersResolverTest.anEditIsSeenAtTheNextReading
        controller.dra.engine.ScenarioTest.editedParametersAreAnsweredAtOnceAlsoWithGoodNews
      W5 a rolling update runs two controllers, which grant one GPU twice:
        controller.allocation.LedgersPropertiesTest.noCommitTakesAnOccupiedDeviceOrOneTheNodeDoesNotHave
        controller.client.election.LeaderElectionTest.writingEndsACallBeforeAnybodyElseCanLead
        controller.kube.KubeClaimStoreTest.withoutLeadershipNoStatusLeavesButAFinalizerMay
        controller.dra.engine.CrashTest.theFenceMakesALateStatusWriteOfTheOldLeaderImpossible
        scenarios.cluster.LeaderFaultsTest.aLeaderThatSleptUntilAnotherLedEndsItselfAndGrantsNothingTwice
      W6 death between two writes leaks what the first one took:
        controller.dra.engine.CrashTest.aNewLeaderFinishesWhatADeadOneBegan
        scenarios.cluster.LeaderFaultsTest.aLeaderKilledInABurstLosesNothing
        controller.dra.allocator.BatchTest.givingUpAWriteThatMayHaveBeenSentDropsTheFinalizerFirst
      W7 the same, and the claim is then also granted on another node:
        controller.allocation.LedgersTest.aClaimThatIsHeldOnOneNodeIsRefusedOnEveryOther
        controller.allocation.LedgersTest.aGrantThatMovedIsHeldOnItsNewNodeOnly
      W8 a claim of a deleted node can never be released:
        controller.app.ControllerLifecycleTest.aClaimOfANodeThatIsGoneCanBeDeleted
        controller.allocation.LedgersTest.aNodeThatIsGoneIsForgottenOnceNothingIsHeldThere
      W9 a deleted ledger object makes running GPUs look free:
        controller.allocation.LedgersPropertiesTest.aFreshFoldOverApiAndInventoriesIsTheLedger
        controller.gpu.GpuDriverTest.whatTheApiShowsRestoresTheMemory
        kubeletplugin.kube.InventoryPublisherTest.repeatsAfterFailuresAndMakesARemovedObjectAnew
      W10 a write that failed is taken for a grant:
        controller.dra.allocator.BatchTest.anUnclearWriteIsSentAgainUntilItIsClear
        scenarios.cluster.WireFaultsTest.everyKindOfWriteLostOnItsWayLosesNothing
        scenarios.cluster.WireFaultsTest.repliesLostAfterEveryKindOfWriteLoseNothing
        controller.kube.KubeClaimStoreTest.everyAnswerHasItsOutcome
      W11 a shared map is changed under a lock for readers:
        controller.allocation.LedgersStressTest.noDeviceAndNoClaimIsEverHeldTwice
      W12 a device that goes bad while it is in use stops the controller:
        controller.allocation.LedgersTest.aGrantedDeviceThatTheInventoryLostStaysHeldAndIsReported
        controller.app.ClusterStatsTest.aGrantedDeviceThatTheInventoryLostIsToldOnItsClaimAtOnce
      W13 more consumed than there is wraps around to a huge rest:
        crds.usage.GpuUsageTest.whatIsOverfullTakesNothingMore
        crds.inventory.InventoryBoundsTest.aShareThatNoGpuHasRoomForIsHeldWhole
        controller.allocation.SharedGpusTest.whereOneTooManyIsNotAllOfItThoseWhoCameLastAreTooMuch
      W14 a validation that fails leaves its marks in the accounts:
        controller.allocation.LedgersTest.aQuestionChangesNothing
        controller.allocation.LedgersPropertiesTest.commitsAllClaimsOfABatchOrNone
      W15 one user's parameters crash the controller for everybody:
        scenarios.cluster.StrangeObjectsTest.malformedCustomResourcesBlockNobodyElse
        controller.client.watch.InformerTest.skipsAMalformedObjectAndReportsItByName
        controller.gpu.cel.ConditionsTest.aConditionThatFailsOnADeviceDoesNotMatchAndIsReported
      W16 driver versions with leading zeros all compare as equal:
        controller.gpu.cel.DottedVersionTest.comparesNumbersNotLetters
      W17 a product name also matches longer ones:
        controller.gpu.GlobPatternTest.matchesWholeNamesIgnoringCase
      W18 a partition is placed on a GPU that somebody has as a whole:
        controller.allocation.placement.PartitionPlacerTest.aWholeGpuIsNotCutAndACutOneNotGrantedWhole
        controller.allocation.placement.PartitionPlacerPropertiesTest.whatIsPlacedFitsBesideWhatIsHeld
        kubeletplugin.prepare.OneHolderPropertyTest.noTwoClaimsHoldOneDevice
      W19 two stores of pending grants that do not see each other:
        controller.allocation.LedgersPropertiesTest.noCommitTakesAnOccupiedDeviceOrOneTheNodeDoesNotHave
      W20 of two products with the same partition profile one is invisible:
        controller.allocation.placement.PartitionPlacerTest.productsThatCallTheirSlicesAlikeAreEachCutInTheirOwnWay
        controller.allocation.placement.PartitionPlacerPropertiesTest.aBatchIsPlacedExactlyWhenThereIsAWay
      W21 the search for a placement grows exponentially:
        controller.allocation.PreferenceTest.thirtyThreeClaimsForThirtyTwoGpusAreRefusedWithoutTryingEveryOrder
      W22 generated claims are found by a name they no longer have:
        controller.kube.mapping.PodMappingTest.resolves
      W23 a repeated allocation forgets that the class forbids sharing:
        controller.gpu.ParametersResolverTest.bothMustAgreeToShare
        controller.gpu.GpuDriverTest.theSameQuestionByTheSameOwnerHasTheSameAnswer
      W24 settings without effect and unchecked input are accepted in silence:
        crds.api.parameters.ParameterRulesTest.aSpecThatContradictsItselfIsToldSo
        crds.api.problem.ProblemListTest.eachMistakeOfAClaimIsToldWithItsPath
      W25 a resource definition is shipped for what does not exist:
        crds.SchemaTest.recordsAndSchemaSayTheSame
      W26 the selector of a class is accepted and ignored:
        controller.gpu.ParametersResolverTest.everyConditionOfClassAndClaimMustHold
      W27 leaving an optional field out is an error or never fits:
        crds.api.problem.ProblemListTest.whatIsNotSaidHasADefault
        controller.gpu.ParametersResolverTest.nothingReferencedAsksForOneWholeGpu
      W28 the claims of a pod are granted one by one, so two pods can block each other:
        controller.allocation.LedgersPropertiesTest.commitsAllClaimsOfABatchOrNone
        controller.dra.allocator.BatchTest.allFinalizersAreWrittenBeforeTheFirstGrant
      W29 what was kept for the first claims stays when a later one does not fit:
        controller.allocation.LedgersTest.aQuestionChangesNothing
        controller.allocation.LedgersPropertiesTest.commitsAllClaimsOfABatchOrNone
      W30 which device is granted depends on the order of a hash map:
        controller.allocation.PlacerPropertiesTest.answersTheSameWhateverTheOrderOfTheClaims
        controller.allocation.PreferenceTest.equalDevicesAreTakenByIndex
      W31 Immediate mode is missing, or takes the first node whatever its state:
        controller.app.ControllerLifecycleTest.anImmediateClaimIsAllocated
        controller.allocation.NodeRankingTest.everyNodeThatCannotBeChosenSaysWhy
        controller.allocation.NodeRankingTest.packTakesTheFullestNodeThatHasRoomAndSpreadTheEmptiest
      W32 nobody is told why a node does not suit:
        controller.allocation.ReasonsTest.saysWhyTheNodeCannotServeTheClaim
        controller.app.ControllerLifecycleTest.anImmediateClaimThatFitsNowhereSaysWhy
      W33 one odd claim of a pod ends the judging of all nodes:
        controller.dra.scheduling.SchedulingRulesTest.aMissingClassBlocksTheAllocationButNotTheOthersEntries
        controller.dra.engine.PodPathTest.wrongParametersAreToldOnTheClaimAndByTheClaimsNameOnThePod
      W34 a selected node that is not among the potential ones is not judged:
        controller.dra.scheduling.SchedulingRulesTest.judgesPotentialSelectedAndPublishedNodesButNoMoreThan257
      W35 converting to structured parameters crashes on objects made by hand:
        none: nothing is converted; PodPathTest shows that structured claims are left alone
      W36 claims for monitoring lost their shareability:
        controller.gpu.GpuDriverTest.aMonitorHasAHandleWithoutDevicesOnANodeOfWhichAllIsTaken
      W37 every pass reads every candidate node from the server:
        scenarios.cluster.RequestCountTest.aPodCosts3CallsToAllocateAnd2ToRelease
        controller.dra.engine.ScenarioTest.aRecheckThatChangesNothingCostsNoCall
      W38 class, parameters and pod are read from the server at every look:
        scenarios.cluster.RequestCountTest.aRecheckThatChangesNothingCostsNoCall
        controller.dra.scheduling.PodReadCacheTest.onePodIsReadOncePerContextWhateverItsVersion
      W39 a lock per node is held across calls to the server:
        scenarios.ControllerArchitectureTest.aPackageUsesOnlyWhatItMay
        controller.allocation.LedgersStressTest.noDeviceAndNoClaimIsEverHeldTwice
      W40 two writers replace one object, and conflicts are not retried:
        controller.dra.allocator.BatchTest.aConflictIsReadAgainAndWrittenAgainAtOnceWithTheSameHandle
        scenarios.ManifestsTest.noRoleHasAWildcardOrSeesSecrets
        crds.SchemaTest.everyKindHasItsPartsOnly
      W41 no second replica, and a stop cuts work in half:
        controller.app.ControllerLifecycleTest.aStandbyIsReadyAndWritesNothing
        controller.app.ControllerLifecycleTest.aCleanStopHandsTheWorkOn
        controller.loop.WorkLoopTest.stopWaitsForTheWorkUnderWayAndTakesNoNewKey
      W42 no probes and no metrics:
        scenarios.ManifestsTest.everyContainerIsProbed
        controller.app.ControllerEndpointsTest.aHealthyProcessSaysSo
        process.MetricsPageTest.metersAreCountersThatExistAtZero
        process.MetricsPageTest.whatVariesIsALabelOfOneMetric
      W43 every node may do everything, and read every secret:
        scenarios.ManifestsTest.noRoleHasAWildcardOrSeesSecrets
        scenarios.ManifestsTest.controllerAndPluginActAsDifferentAccounts
      W44 the controller's selector matches the plugin's pods too:
        scenarios.ManifestsTest.noSelectorMatchesThePodsOfAnother
      W45 resource definitions are never upgraded, and state has no version:
        scenarios.ManifestsTest.theResourceDefinitionsAreInstalledAndUpgradedWithTheRest
        crds.RecordJsonTest.whatALaterSchemaAddsIsSkippedByBoth
        crds.handle.HandleCodecTest.everythingElseIsUnreadableAndSaysWhy
        kubeletplugin.checkpoint.CheckpointFileTest.refusesTheFileOfANewerPlugin
      W46 wrong parameters are not refused when they are created:
        crds.api.parameters.ParameterRulesTest.aSpecThatContradictsItselfIsToldSo
      W47 drivers overwrite each other's entries in the scheduling context:
        controller.kube.KubeClusterTest.appliesOurEntriesBesideThoseOfOthers
        controller.kube.KubeContextStoreTest.appliesOurEntriesByForceToThisVeryContext
      W48 freed devices are noticed after 30 seconds only:
        controller.dra.engine.ScenarioTest.eightWaitersAreWokenInPortionsAsDevicesComeFree
        controller.dra.engine.LoadTest.allRunOldestFirstAndWhatAPodCostsDoesNotGrowWithTheirNumber
        scenarios.cluster.WaitersTest.eightWaitersFollowEightPodsWithoutWaitingForAHeartbeat
      W49 autoscaler and quota see nothing of the devices:
        none: classic allocation has no place where they would look; the README says that quotas are missing
      W50 nobody can see which claim has which device:
        crds.inventory.InventoryCodecTest.peopleSeeCountsAndDevicesByName
        kubeletplugin.kube.InventoryPublisherTest.showsAPreparedClaimAndItsEnd
        controller.app.LedgerPageTest.aDeviceNamesWhoHasIt
      W51 after a reboot a claim counts as prepared though its CDI file is gone:
        kubeletplugin.prepare.ClaimPreparerTest.givesTheSameAnswerAgainAndRepairsARemovedSpecFile
        kubeletplugin.prepare.StartupRecoveryTest.forgetsEverythingAfterAnotherBoot
        scenarios.cluster.NodeFaultsTest.aRebootInABurstLosesNothing
      W52 a GPU that vanished crashes prepare and start:
        kubeletplugin.prepare.ClaimPreparerTest.refusesADeviceThatTheNodeDoesNotHave
        kubeletplugin.prepare.StartupRecoveryTest.reportsAClaimThatCannotBeRepairedAndKeepsItsDevices
      W53 an unknown partition keeps the plugin from starting:
        kubeletplugin.prepare.PartsTest.whatIsSomebodyElsesIsInTheWayAndStays
        kubeletplugin.prepare.PartsCrashTest.aPrepareThatDiesLeavesNothingHalfDone
        kubeletplugin.device.nvidia.NvidiaDevicesTest.findsWhatAnEarlierProcessLeft
        controller.allocation.placement.PartitionPlacerTest.staticMigDevicesComeFirstAndForeignOnesAreInTheWay
      W54 a step that fails leaves the earlier ones done:
        kubeletplugin.prepare.ClaimPreparerTest.undoesEverythingWhenAStepFails
        kubeletplugin.prepare.CrashTest.aPrepareThatDiesLeavesNothingHalfDone
        scenarios.cluster.NodeFaultsTest.aPluginKilledBetweenItsCheckpointAndTheSpecFileLosesNothing
        scenarios.cluster.NodeFaultsTest.aPluginKilledBetweenTheSpecFileAndItsCheckpointLosesNothing
      W55 a sharing daemon that is late stays behind:
        kubeletplugin.device.mps.MpsProcessesTest.oneThatNeverAnswersFailsInTimeAndIsEnded
        kubeletplugin.prepare.ClaimPreparerTest.undoesEverythingWhenAStepFails
      W56 after a reboot a sharing daemon is not set up again:
        kubeletplugin.prepare.StartupRecoveryTest.forgetsEverythingAfterAnotherBoot
        kubeletplugin.device.mps.NvidiaMpsTest.whatADeadOneLeftRunningIsEndedBeforeTheNextStarts
        kubeletplugin.device.mps.NvidiaMpsTest.aStartThatDiedHalfWayIsBegunAnew
      W57 waiting for one claim stops all others of the node:
        kubeletplugin.prepare.ConcurrentCallsTest.line30PreparesDifferentClaimsSideBySide
        kubeletplugin.rpc.PluginSocketsTest.line30UnprepareGetsThroughWhileEveryPrepareThreadWaits
      W58 directories go while their daemon still lives:
        kubeletplugin.device.mps.MpsProcessesTest.oneThatWasAskedToQuitDoesNotCountAsOneThatRuns
        kubeletplugin.device.mps.NvidiaDaemonTest.oneThatWaitsForItsClientsIsStopped
        kubeletplugin.prepare.PartsTest.theLastShareStopsTheServer
      W59 a daemon's image comes from a public registry, with every privilege:
        none: no pod is made at run time
      W60 a command runs for each GPU even when nothing is to be set:
        kubeletplugin.device.mps.MpsLimitsTest.withoutLimitsNothingIsAsked
        kubeletplugin.device.nvidia.NvidiaDevicesTest.aModeThatAGpuHasIsNotSetAnew
      W61 a claim that the ledger does not know crashes prepare:
        kubeletplugin.rpc.PluginSocketsTest.line27HasAnErrorForEachClaimThatCannotBePreparedAndKeepsNoneOfTheRequest
        kubeletplugin.prepare.ClaimPreparerTest.unpreparesWhatItNeverHeardOf
      W62 threads change the state of the node without a lock:
        kubeletplugin.prepare.OneHolderPropertyTest.noTwoClaimsHoldOneDevice
        kubeletplugin.prepare.ConcurrentCallsTest.oneOfManyCallersGetsADevice
      W63 a write that failed takes the device from a running pod:
        kubeletplugin.app.PluginProcessTest.servesWithoutAnApiServer
        kubeletplugin.prepare.ClaimPreparerTest.keepsWhatAnEarlierCallPreparedWhenARepeatedOneIsCancelled
      W64 two files define the same CDI device, and neither works:
        kubeletplugin.prepare.ClaimPreparerTest.answersOneCdiDeviceForAClaimOfManyGpus
        kubeletplugin.prepare.StartupRecoveryTest.removesFilesOfClaimsThatAreNotHeld
      W65 a container with two claims sees the GPUs of one:
        kubeletplugin.cdi.CdiSpecTest.twoClaimsInOneContainerHideNoGpuOfEachOther
      W66 left-over files and prepared claims are never found:
        kubeletplugin.prepare.StartupRecoveryTest.removesFilesOfClaimsThatAreNotHeld
        kubeletplugin.kube.LiveClaimsTest.reportsWhatIsGoneOrAnotherAndNothingThatIsUnclear
        controller.app.ClusterStatsTest.aPreparedClaimThatIsGoneIsAnOrphan
      W67 devices are discovered once, and their health never:
        kubeletplugin.device.nvidia.GpuHealthTest.aLostGpuStaysAndTheOthersKeepTheirNames
        kubeletplugin.device.nvidia.GpuHealthTest.allElseKeepsClaimsAwayUntilTheNodeBoots
        kubeletplugin.app.LateDriverTest.aNodeWithoutAGpuIsReadyAndServesOneThatComesWithItsDriver
      W68 a dead node stays ready:
        controller.kube.NodeFeedTest.goesStaleAfterTwoAndAHalfIntervalsWithoutAChangeAndBackWithTheNext
        kubeletplugin.kube.InventoryPublisherTest.beatsWithoutChanges
        kubeletplugin.kube.InventoryPublisherTest.saysThatItStopped
      W69 a server that failed leaves a process that does nothing:
        kubeletplugin.rpc.PluginSocketsTest.makesRemovedSocketsAnewInOrder
        kubeletplugin.app.PluginProcessTest.isAliveAtOnceReadyWhenRegisteredAndSaysThatItStopped
      W70 prepare and unprepare at once kill the plugin:
        kubeletplugin.prepare.ConcurrentCallsTest.unprepareWaitsForAPrepareOfTheSameClaim
      W71 the state file is overwritten in place, and an unreadable one ends in silence:
        kubeletplugin.checkpoint.CheckpointFileTest.refusesEveryTruncationAndChangesNothing
        scenarios.cluster.NodeFaultsTest.aFullDiskIsToldAndLosesNothing
        kubeletplugin.prepare.StartupRecoveryTest.refusesToStartWithACorruptCheckpointAndLeavesIt
      W72 a prepared claim whose GPU vanished keeps the plugin from starting:
        kubeletplugin.prepare.StartupRecoveryTest.reportsAClaimThatCannotBeRepairedAndKeepsItsDevices
      W73 a claim is remembered as prepared with nothing, and fails for ever:
        crds.handle.HandleCodecTest.everythingElseIsUnreadableAndSaysWhy
        kubeletplugin.prepare.ClaimPreparerTest.undoesEverythingWhenAStepFails
      W74 a conflict repeats what was done to the hardware:
        scenarios.cluster.WireFaultsTest.aStormOfRefusalsLosesNothingAndIsMetWithPatience
        kubeletplugin.app.PluginProcessTest.servesWithoutAnApiServer
        kubeletplugin.prepare.ConcurrentCallsTest.line30PreparesOneClaimOnceForManyCallers
      W75 a call sleeps and cannot be cancelled:
        kubeletplugin.prepare.ClaimPreparerTest.stopsBetweenStepsWhenTheCallerGoesAway
        kubeletplugin.prepare.ConcurrentCallsTest.aWaitingCallThatIsCancelledGivesUpAtOnce
      W76 memory of a virtual function is not divided by its tiles:
        none: there are no virtual functions
      W77 shipped settings cannot be read, or nobody reads them:
        scenarios.script.ScenarioTest.everyExampleCanBeReadAndNamesManifestsThatExist
        scenarios.DemoTest.theTourPassesAndAChildThatDiesIsNamedWithItsExitCodeAndItsLog
      W78 the released plugin ends before it serves:
        scenarios.DemoTest.theTourPassesAndAChildThatDiesIsNamedWithItsExitCodeAndItsLog
      W79 any pod can declare any GPU unhealthy:
        none: nothing listens for reports about devices
      W80 devices are added to the CDI file of another driver:
        kubeletplugin.cdi.CdiDirectoryTest.line34WritesOneWorldReadableFileAndNothingElse
        kubeletplugin.prepare.StartupRecoveryTest.removesFilesOfClaimsThatAreNotHeld
      W81 CDI files outlive the driver and the boot:
        kubeletplugin.app.PluginOptionsTest.hasTheDefaultsOfAnOrdinaryNode
      W82 a claim's status does not say which device it got:
        crds.handle.HandleCodecTest.theFormatIsTheOneOfTheApiPage
        controller.kube.KubeClaimStoreTest.allocateWritesOneHandleItsOnlyNodeAndThePod
      W83 no test ends a process in the middle, lets many work at once, or follows a user's example:
        controller.allocation.LedgersStressTest.noDeviceAndNoClaimIsEverHeldTwice
        controller.dra.engine.LoadTest.allRunOldestFirstAndWhatAPodCostsDoesNotGrowWithTheirNumber
        scenarios.steps.CrashMatrixTest.everyWriteOfTheControllerHasACrashPoint
        scenarios.steps.StepSimulationTest.whateverGoesWrongNothingIsLost
        scenarios.real.DisruptedBurstTest.aRollingUpdateOfTheControllerInABurstLosesNothing
      W84 an example is broken, and the guide passes over it:
        scenarios.DemoTest.theTourPassesAndAChildThatDiesIsNamedWithItsExitCodeAndItsLog
        scenarios.DocumentedCommandsTest.everyCommandIsRunByAScriptOrATest
      W85 an example is for several pods and its claim for one, or names fields that are no more:
        scenarios.script.ExpectationTest.whatDoesNotRunOrSeesNothingIsNeitherTheSameNorDifferent
        scenarios.script.ScenarioTest.everyExampleCanBeReadAndNamesManifestsThatExist
      W86 the pod of the documentation names an object that is not there:
        scenarios.DemoTest.whatOthersHaveWrittenPasses
        scenarios.DocumentsTest.aBlockThatRunsIsAppliedByItsScenario
      W87 two examples have objects of one name, and the second changes those of the first:
        scenarios.script.ScenarioTest.noTwoExamplesHaveOneNamespaceAtATime
      W88 an example of what must fail runs on larger GPUs:
        scenarios.run.WithoutDriverTest.noExpectationIsMet
        scenarios.DemoTest.theTourPassesAndAChildThatDiesIsNamedWithItsExitCodeAndItsLog
      W89 what an example prints cannot be compared with what its page says:
        scenarios.DemoTest.aBrokenOrEmptyExpectationFailsWithTheReasonAndAPathMayHave120Characters
        scenarios.script.CounterproofTest.whatSaysSomethingIsNotMetTurnedRound
      W90 16G of a condition are less than a GPU of 16 GB has:
        crds.model.MemorySizeTest.aSizeHasAnExactAndANominalReading
      W91 a page says "or higher" and tests "higher", or has names that the driver does not know:
        controller.gpu.cel.ConditionsTest.anAttributeThatIsNotThereIsAnsweredWithThoseThatAre
        scenarios.DocumentsTest.eachBlockIsThereAndSaysWhatComesOfIt
        kubeletplugin.app.PluginProcessTest.nobodyHearsOfGpusThatADevicePluginHandsOutBeforeTheyAreTainted
      W92 a page leaves out gates without which nothing works, and its check does not show that:
        controller.doctor.ControlPlaneTest.eachComponentWithoutTheGateIsNamed
        controller.doctor.FeatureGateEvidenceTest.aPodThatIsLeftWhereItIsShowsThatTheGateIsOff
      W93 a manifest mixes versions of the API and suits none:
        scenarios.DocumentsTest.ofAManifestIsSaidWhyItIsNotForThisDriver
      """;

  private static final int WEAKNESSES = 93;

  private static Stream<String> underneath() {
    return TABLE.lines().filter(line -> line.startsWith(" ")).map(String::trim);
  }

  static Stream<String> tests() {
    return underneath().filter(line -> !line.startsWith("none: ")).distinct();
  }

  @ParameterizedTest
  @MethodSource("tests")
  void aTestOfTheTableExistsAndRuns(String test) throws IOException {
    SourceFiles.assertIsATest(test);
  }

  @Test
  void everyWeaknessHasATestOrAReason() {
    List<String> weaknesses = TABLE.lines().filter(line -> !line.startsWith(" ")).toList();

    assertThat(weaknesses)
        .hasSize(WEAKNESSES)
        .allMatch(weakness -> weakness.endsWith(":"))
        .extracting(weakness -> weakness.substring(0, weakness.indexOf(' ')))
        .containsExactlyElementsOf(
            IntStream.rangeClosed(1, WEAKNESSES).mapToObj(number -> "W" + number).toList());
    assertThat(TABLE).doesNotContainPattern(":\\n(?! )");
    assertThat(underneath()).allMatch(line -> line.matches("none: .+|[a-z.]+[.][A-Z]\\w+[.]\\w+"));
  }
}
