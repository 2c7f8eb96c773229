import { behaviourOf, MAGIC_VALUES } from '../../src/magic/magic-values.table.js';
import { bootSandbox, documentedClient } from '../support/sandbox.js';

describe('magic values', () => {
  const sandbox = bootSandbox();
  const played = MAGIC_VALUES.flatMap(({ provider, ...row }) => (provider ? [{ ...row, provider }] : []));

  it('lists the magic values with their input and their effect', async () => {
    const { body } = await documentedClient(sandbox).get('/api/magic-values');
    const listed = (body as { magic_values: Record<string, unknown>[] }).magic_values;
    const described = MAGIC_VALUES.map(({ what, value, effect, sample }) => ({
      what,
      value,
      effect,
      sample,
    }));
    expect(listed).toEqual(described.map((row) => expect.objectContaining(row)));
    expect(listed[0]).toMatchObject({ input: 'phone', provider: null });
    expect(listed.find(({ sample }) => sample === 'ABCPR0404K')).toMatchObject({
      input: 'pan',
      provider: 'pan',
    });
  });

  it('lists no value twice for an input', () => {
    const values = MAGIC_VALUES.map(({ what, value }) => `${what}: ${value}`);
    expect(new Set(values).size).toBe(values.length);
  });

  it.each(played)(
    'gives a value its listed effect: $provider, $input $value',
    ({ provider, input, behaviour, sample }) => {
      expect(behaviourOf(provider, input, sample)).toBe(behaviour);
    },
  );

  it.each(played)('gives a value one meaning: $input $sample', ({ input, sample }) => {
    const providers = new Set(played.map(({ provider }) => provider));
    const moved = [...providers].filter((provider) => behaviourOf(provider, input, sample) !== undefined);
    expect(moved).toHaveLength(1);
  });

  it.each([
    ['phone', '910503050300'],
    ['pan', 'ABCPR1234K'],
    ['account', '050305041234'],
    ['aadhaar', '204221230503'],
  ] as const)('gives no effect to %s %s', (input, value) => {
    for (const { provider } of played) expect(behaviourOf(provider, input, value)).toBeUndefined();
  });
});
