import { setTimeout as sleep } from 'node:timers/promises';
import { pipelined } from './pipelined.js';

const later = async <T>(ms: number, end: () => T): Promise<T> => {
  await sleep(ms);
  return end();
};
const fail = (text: string) => (): never => {
  throw new Error(text);
};

describe('pipelined', () => {
  it('gives what each came to, in their order', async () => {
    expect(await pipelined([later(20, () => 'a'), later(1, () => 2), 'no promise'])).toEqual([
      'a',
      2,
      'no promise',
    ]);
  });

  it('fails like the first that failed, which is why the others did', async () => {
    await expect(
      pipelined([later(20, fail('what follows')), later(1, fail('the cause')), later(5, () => 1)]),
    ).rejects.toThrow('the cause');
  });

  it('fails only once nothing is under way any more', async () => {
    let hasEnded = false;
    const slow = later(30, () => (hasEnded = true));
    await expect(pipelined([later(1, fail('early')), slow])).rejects.toThrow('early');
    expect(hasEnded).toBe(true);
  });
});
