// Preloaded into a process of the service (node --import): its clock runs CLOCK_AHEAD_MS ahead of the machine's, and
// each SIGUSR2 adds CLOCK_JUMP_MS. Timers and performance.now() are unaffected, as when an administrator sets the
// clock.
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
