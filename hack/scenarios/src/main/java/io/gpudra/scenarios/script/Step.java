package io.gpudra.scenarios.script;

import java.io.IOException;

/** One step of a scenario. */
public sealed interface Step {

  /** Title for progress output. */
  String title();

  /**
   * Executes the step.
   *
   * @throws IOException if the cluster cannot be reached
   */
  void doneBy(Stage stage) throws IOException, InterruptedException;

  /** Executes steps. */
  interface Stage {
    /** Creates or updates every object of the file. */
    void apply(String file) throws IOException, InterruptedException;

    /** Deletes every object of the file and waits until it is gone. */
    void delete(String file) throws IOException, InterruptedException;

    /** Minor version of Kubernetes. */
    int minorVersion() throws IOException, InterruptedException;

    /** Waits until the expectation is met. */
    void expect(Expectation expectation) throws IOException, InterruptedException;
  }

  /** Like {@code kubectl apply -f}. */
  record Apply(String file) implements Step {
    @Override
    public String title() {
      return "apply " + file;
    }

    @Override
    public void doneBy(Stage stage) throws IOException, InterruptedException {
      stage.apply(file);
    }
  }

  /** Like {@code kubectl delete --wait -f}. */
  record Delete(String file) implements Step {
    @Override
    public String title() {
      return "delete " + file;
    }

    @Override
    public void doneBy(Stage stage) throws IOException, InterruptedException {
      stage.delete(file);
    }
  }

  /**
   * Waits for a state.
   *
   * @param since the first minor version of Kubernetes to which it applies; skipped on earlier ones
   */
  record Expect(Expectation expectation, int since) implements Step {
    @Override
    public String title() {
      return "wait for " + expectation.subjects();
    }

    @Override
    public void doneBy(Stage stage) throws IOException, InterruptedException {
      if (stage.minorVersion() >= since) {
        stage.expect(expectation);
      }
    }
  }
}
