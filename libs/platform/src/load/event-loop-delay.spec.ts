import { watchEventLoop } from './in-flight-limit.js';

const HELD_UP_MS = 700;

function holdUp(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

describe('the delay of the event loop', () => {
  it('reports the delay periodically, shows a blocked loop, and resets', async () => {
    let hear: (ms: number) => void = () => undefined;
    const watching = watchEventLoop((ms) => hear(ms));
    const next = () => new Promise<number>((resolve) => (hear = resolve));
    await next();
    holdUp(HELD_UP_MS);
    expect(await next()).toBeGreaterThan(HELD_UP_MS / 2);
    // a busy machine may hold it up too, but not for so long at every look
    let later = await next();
    for (let look = 0; look < 20 && later > HELD_UP_MS / 2; look++) later = await next();
    expect(later).toBeLessThan(HELD_UP_MS / 2);
    clearInterval(watching);
  });
});
