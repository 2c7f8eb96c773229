/** Makes COUNT calls at once; their answers in the order of the calls. */
export const times = <T>(count: number, call: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => call(i)));
