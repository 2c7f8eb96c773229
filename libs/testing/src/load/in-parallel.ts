/** Makes COUNT calls in parallel. @returns their results in the order of the calls */
export const inParallel = <T>(count: number, call: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => call(i)));
