package io.gpudra.scenarios.script;

import java.io.IOException;

/** One thing a scenario does. */
public sealed interface Step {

  /** For people, while it is being done. */
  String title();

  /**
   * Has it done.
   *
   * @throws IOException when the cluster cannot be asked
   */
  void doneBy(Stage stage) throws IOException, InterruptedException;

  /** Whoever can do steps. */
  interface Stage {
    /** Creates every object of the file, or changes it. */
    void apply(String file) throws IOException, InterruptedException;

    /** Undoes that for every object of the file and waits until they are gone. */
    void delete(String file) throws IOException, InterruptedException;

    /** Of Kubernetes 1. */
    int minorVersion() throws IOException, InterruptedException;

    /** Waits until it is seen. */
    void expect(Expectation expectation) throws IOException, InterruptedException;
  }

  /** As {@code kubectl apply -f}. */
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

  /** As {@code kubectl delete --wait -f}. */
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
   * As looking until it is there.
   *
   * @param since the first minor version of Kubernetes 1 that does it; earlier ones are not looked
   *     at
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
