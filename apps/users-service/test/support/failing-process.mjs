// Preloaded into a process of the service (node --import): SIGUSR2 triggers the fault that FAULT names.
const FAULTS = {
  throw: () => {
    throw new Error('a defect about 919812345678');
  },
  reject: () => void Promise.reject(new Error('a defect about 919812345678')),
  exhaust: () => {
    for (const all = []; ;) all.push(Array.from({ length: 10_000 }, (_, i) => ({ i })));
  },
  stall: () => {
    for (const end = performance.now() + 2_000; performance.now() < end;);
  },
};

process.on('SIGUSR2', () => setImmediate(FAULTS[process.env.FAULT]));
