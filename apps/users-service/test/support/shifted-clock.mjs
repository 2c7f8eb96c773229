// Loaded before a process of the service (node --import): its clock is CLOCK_AHEAD_MS ahead of the machine's, and
// CLOCK_JUMP_MS more after each SIGUSR2. Timers and performance.now() go on as they do when an administrator sets a clock.
const RealDate = Date;
let ahead = Number(process.env.CLOCK_AHEAD_MS ?? 0);
process.on('SIGUSR2', () => (ahead += Number(process.env.CLOCK_JUMP_MS)));

const now = () => RealDate.now() + ahead;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(
      target,
      args.length === 0 ? [now()] : args,
      newTarget === globalThis.Date ? target : newTarget,
    ),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
