import { setTimeout as sleep } from 'node:timers/promises';
import { pipelined } from './service-data-source.js';

const later = async <T>(ms: number, end: () => T): Promise<T> => {
  await sleep(ms);
  return end();
};
const fail = (text: string) => (): never => {
  throw new Error(text);
};

describe('pipelined', () => {
  it('returns the result of each statement, in order', async () => {
    expect(await pipelined([later(20, () => 'a'), later(1, () => 2), 'no promise'])).toEqual([
      'a',
      2,
      'no promise',
    ]);
  });

  it.each(['25P02', '26000'])(
    'fails with the error of the statement because of which others failed with %s',
    async (code) => {
      const behind = (): never => {
        throw Object.assign(new Error('behind'), { code });
      };
      await expect(
        pipelined([later(1, behind), later(20, fail('the cause')), later(5, () => 1)]),
      ).rejects.toThrow('the cause');
      await expect(pipelined([later(1, behind)])).rejects.toThrow('behind');
    },
  );

  it('fails only after all statements have finished', async () => {
    let hasEnded = false;
    const slow = later(30, () => (hasEnded = true));
    await expect(pipelined([later(1, fail('early')), slow])).rejects.toThrow('early');
    expect(hasEnded).toBe(true);
  });
});
