/** Work in steps: whoever runs it may do something else between two, such as serve requests. */
export type Steps<T> = Generator<void, T, void>;

/** All steps at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
