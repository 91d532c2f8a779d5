package io.gpudra.kubeletplugin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Where each rule that the plugin must keep is tested: the lines of the conformance checklist
 * (testing.md 3), one holder per device (node.md 2), and what is malformed.
 *
 * <p>A rule ends with a colon; indented under it are its tests. Lines 1 to 24 are the controller's.
 * Over real Unix sockets: {@code PluginSocketsTest}, {@code SocketOrderTest}, {@code
 * PluginProcessTest}.
 */
class ProtocolChecklistTest {

  private static final String TABLE =
      """
      25 stale sockets are removed, DRA before registration, both gone after stop:
        rpc.PluginSocketsTest.line25RemovesStaleSocketsAtStartAndItsOwnAtStopTwice
        rpc.PluginSocketsTest.line25LeavesNoSocketWhenTheSecondCannotBeMade
        rpc.SocketOrderTest.line25ServesDraBeforeRegistrationExistsAndUntilItIsGone
      26 registration: GetInfo, refused, registered:
        rpc.PluginSocketsTest.line26SaysWhoItIs
        rpc.PluginSocketsTest.line26KeepsTheErrorOfARefusalAndAnswersWithAnError
        app.PluginProcessTest.isAliveAtOnceReadyWhenRegisteredAndSaysThatItStopped
      27 both services at once, an entry for every claim, errors per claim, same IDs again:
        rpc.PluginSocketsTest.line27AnswersBothVersionsWithTheSameIds
        rpc.PluginSocketsTest.line27HasAnErrorForEachClaimThatCannotBePreparedAndKeepsNoneOfTheRequest
        rpc.PluginSocketsTest.line27KeepsWhatAnEarlierRequestPreparedWhenALaterOneFails
        rpc.PluginSocketsTest.line27RefusesAClaimNamedTwice
        rpc.PluginSocketsTest.line27TellsTheKindOfRefusalByTheStatusOfV1Alpha2
        prepare.ClaimPreparerTest.givesTheSameAnswerAgainAndRepairsARemovedSpecFile
      28 unprepare: unknown, after a restart, with its CDI file, and prepare again:
        rpc.PluginSocketsTest.line28UnpreparesUnknownClaimsAndClaimsOfAnEarlierProcess
        prepare.ClaimPreparerTest.unpreparesWhatItNeverHeardOf
        prepare.ClaimPreparerTest.preparesAgainAfterUnprepare
        prepare.ClaimPreparerTest.failedUnprepareIsRepeatedAndKeepsTheDevices
        prepare.StartupRecoveryTest.keepsPreparedClaimsAndRestoresTheirFiles
      29 cancel, deadline and death in the middle leak nothing:
        rpc.PluginSocketsTest.line29UndoesAPrepareWhoseCallerLeftInTheMiddle
        rpc.PluginSocketsTest.line29UndoesAPrepareThatFinishesAfterTheDeadline
        rpc.UndeliveredAnswerTest.line29GivesBackWhatWasPreparedWhenTheAnswerCannotBeDelivered
        rpc.UndeliveredAnswerTest.keepsWhatWasPreparedWhenTheAnswerWasDelivered
        prepare.ClaimPreparerTest.stopsBetweenStepsWhenTheCallerGoesAway
        prepare.ClaimPreparerTest.undoesAFinishedPrepareWhoseCallerWentAway
        prepare.ClaimPreparerTest.undoesEverythingWhenAStepFails
        prepare.CrashTest.aPrepareThatDiesLeavesNothingHalfDone
        prepare.CrashTest.anUnprepareThatDiesIsFinishedByItsRepetition
      30 different claims side by side, one claim one call at a time:
        prepare.ConcurrentCallsTest.line30PreparesDifferentClaimsSideBySide
        prepare.ConcurrentCallsTest.line30PreparesOneClaimOnceForManyCallers
        prepare.ConcurrentCallsTest.unprepareWaitsForAPrepareOfTheSameClaim
        rpc.PluginSocketsTest.line30UnprepareGetsThroughWhileEveryPrepareThreadWaits
      31 NodeListAndWatchResources is UNIMPLEMENTED:
        rpc.PluginSocketsTest.line31ListsNoResources
      32 a structured handle is an error of its claim:
        rpc.PluginSocketsTest.line32RefusesAStructuredHandle
      34 CDI file: name, atomic, lowest version, strict schema, an edit, world-readable:
        cdi.CdiDirectoryTest.line34WritesOneWorldReadableFileAndNothingElse
        cdi.CdiDirectoryTest.line34ReplacesAFileAsAWholeSoThatNoReaderSeesAHalf
        cdi.CdiSpecTest.line34MatchesTheGoldenFile
        cdi.CdiSpecTest.line34DeclaresTheLowestVersionThatFits
        cdi.CdiSpecTest.line34HasExactlyTheFieldsAndNamesThatTheSchemaKnows
      35 driver names longer than 26 characters are refused:
        app.PluginOptionsTest.line35ADriverNameOfMoreThan26CharactersIsRefusedAtStart
      property: no device has two holders, whatever is asked and whenever the process dies:
        prepare.OneHolderPropertyTest.noTwoClaimsHoldOneDevice
        prepare.ConcurrentCallsTest.oneOfManyCallersGetsADevice
      malformed handles, UIDs and checkpoints block nobody:
        rpc.PluginSocketsTest.line27HasAnErrorForEachClaimThatCannotBePreparedAndKeepsNoneOfTheRequest
        prepare.ClaimPreparerTest.refusesAUidThatIsNoFileName
        prepare.ClaimPreparerTest.refusesAHandleOfAnotherClaim
        prepare.ClaimPreparerTest.refusesAGrantForAnotherNode
        prepare.ClaimPreparerTest.refusesADeviceThatTheNodeDoesNotHave
        prepare.ClaimPreparerTest.refusesADeviceNamedTwice
        prepare.StartupRecoveryTest.refusesToStartWithACorruptCheckpointAndLeavesIt
      """;

  static Stream<String> tests() {
    return TABLE.lines().filter(line -> line.startsWith(" ")).map(String::trim).distinct();
  }

  @ParameterizedTest
  @MethodSource("tests")
  void aTestOfTheTableExistsAndRuns(String test) throws ClassNotFoundException {
    int dot = test.lastIndexOf('.');
    Class<?> type = Class.forName("io.gpudra.kubeletplugin." + test.substring(0, dot));
    // Surefire would not pick up any other name.
    assertThat(type.getSimpleName()).endsWith("Test");
    assertThat(type.getDeclaredMethods())
        .filteredOn(method -> method.getName().equals(test.substring(dot + 1)))
        .hasSize(1)
        .allMatch(method -> AnnotationSupport.isAnnotated(method, Testable.class));
  }

  @Test
  void noLineOfThePluginIsMissingAndEachHasATest() {
    List<String> numbered =
        TABLE
            .lines()
            .map(line -> Splitter.on(' ').splitToList(line).get(0))
            .filter(word -> word.matches("\\d+"))
            .toList();
    assertThat(numbered)
        .containsExactly("25", "26", "27", "28", "29", "30", "31", "32", "34", "35");
    assertThat(TABLE).doesNotContainPattern(":\n(?! )");
    assertThat(rules()).allMatch(rule -> rule.endsWith(":"));
  }

  private static ImmutableList<String> rules() {
    return Arrays.stream(TABLE.split("\n", -1))
        .filter(line -> !line.isEmpty() && !line.startsWith(" "))
        .collect(ImmutableList.toImmutableList());
  }
}
