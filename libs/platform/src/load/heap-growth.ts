import { setFlagsFromString } from 'node:v8';

/**
 * Left to itself V8 lets a heap grow to several times what is alive in it. A service that makes much garbage and keeps
 * little would hold memory that other pods could use: here a third less for a few per cent more processor time. It is
 * no bound: what is needed is had. Node.js is told by an argument how large the young part may get (docker/Dockerfile).
 * @param growthPercent by which the heap may grow beyond what is alive before the next complete collection
 */
export function keepHeapSmall(growthPercent: number): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
}
