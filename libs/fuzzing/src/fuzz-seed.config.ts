/**
 * The seed of a run. `FD_FUZZ_SEED=123 ...` repeats a failed run with its printed seed.
 * @param usual seed of a run that should always be the same; by default random
 */
export function fuzzSeed(usual?: number): number {
  const given = process.env['FD_FUZZ_SEED'];
  const seed = given === undefined ? (usual ?? Date.now() % 2 ** 31) : Number(given);
  if (!Number.isInteger(seed)) throw new Error('FD_FUZZ_SEED must be a whole number');
  process.stderr.write(`requests are made from FD_FUZZ_SEED=${seed}\n`);
  return seed;
}
