import { WaitingCallers } from './waiting-callers.js';

describe('WaitingCallers', () => {
  it('lets twenty requests of a user wait, and another one after one has left', () => {
    const waiting = new WaitingCallers();
    const leaving = Array.from({ length: 20 }, () => waiting.enter('a')!);
    expect(waiting.enter('a')).toBeUndefined();
    expect(waiting.enter('b')).toEqual(expect.any(Function));
    leaving[0]!();
    const next = waiting.enter('a')!;
    expect(waiting.enter('a')).toBeUndefined();
    for (const leave of [...leaving.slice(1), next]) leave();
    expect(Array.from({ length: 21 }, () => waiting.enter('a')).filter(Boolean)).toHaveLength(20);
  });
});
