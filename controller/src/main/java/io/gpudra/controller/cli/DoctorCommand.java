package io.gpudra.controller.cli;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpudra.controller.doctor.Diagnosis;
import io.gpudra.controller.doctor.Examination;
import io.gpudra.controller.view.Sight;
import java.io.IOException;
import picocli.CommandLine.Command;

/** Says why the driver as a whole does not work, and what mends it. */
@Command(
    name = "doctor",
    description =
        "Looks at API server, feature gates, rights, controllers, plugins and nodes, and says what"
            + " is wrong and what mends it. Only reads, and asks for access reviews.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class DoctorCommand extends Question {
  private static final JsonMapper JSON = new JsonMapper();

  @Override
  int answer(Sight sight) throws IOException {
    Examination.Result result = Examination.of(http(), driverName(), sight);
    result.unseen().forEach(text -> err().println("not looked at: " + Plain.line(text)));
    if (output().structured()) {
      out().print(output().structured(json(result)));
    } else {
      result.diagnoses().forEach(this::print);
      out()
          .println(
              result.diagnoses().isEmpty()
                  ? "nothing is wrong" + (result.unseen().isEmpty() ? "" : " in what could be seen")
                  : "complaints: " + result.diagnoses().size());
    }
    return result.diagnoses().isEmpty() ? Gpudra.ANSWERED : Gpudra.SOMETHING_WRONG;
  }

  private void print(Diagnosis diagnosis) {
    out().println(Plain.line(diagnosis.complaint().label() + ": " + diagnosis.subject()));
    out().println("  what:   " + Plain.line(diagnosis.what()));
    out().println("  to do:  " + Plain.line(diagnosis.remedy()));
    out().println();
  }

  private static ObjectNode json(Examination.Result result) {
    ObjectNode json = JSON.createObjectNode();
    for (Diagnosis one : result.diagnoses()) {
      json.withArrayProperty("diagnoses")
          .addObject()
          .put("complaint", one.complaint().label())
          .put("subject", one.subject())
          .put("what", one.what())
          .put("todo", one.remedy());
    }
    result.unseen().forEach(json.withArrayProperty("notLookedAt")::add);
    json.withArrayProperty("diagnoses");
    return json;
  }
}
