/**
 * The seed of a run. One that failed is repeated with the seed that it printed: `FD_FUZZ_SEED=123 ...`.
 * @param usual for runs that are to be the same each time; left out, every run has its own
 */
export function fuzzSeed(usual?: number): number {
  const given = process.env['FD_FUZZ_SEED'];
  const seed = given === undefined ? (usual ?? Date.now() % 2 ** 31) : Number(given);
  if (!Number.isInteger(seed)) throw new Error('FD_FUZZ_SEED must be a whole number');
  process.stderr.write(`requests are made from FD_FUZZ_SEED=${seed}\n`);
  return seed;
}
