import { behaviourOf, MAGIC_VALUES } from '../../src/magic/magic-values.table.js';
import { bootSandbox, documentedClient } from '../support/sandbox.js';

describe('magic values', () => {
  const sandbox = bootSandbox();
  const played = MAGIC_VALUES.flatMap(({ party, ...row }) => (party ? [{ ...row, party }] : []));

  it('are listed with their input and their effect', async () => {
    const { body } = await documentedClient(sandbox).get('/api/magic-values');
    const listed = (body as { magic_values: Record<string, unknown>[] }).magic_values;
    const described = MAGIC_VALUES.map(({ what, value, effect, sample }) => ({
      what,
      value,
      effect,
      sample,
    }));
    expect(listed).toEqual(described.map((row) => expect.objectContaining(row)));
    expect(listed[0]).toMatchObject({ input: 'phone', party: null });
    expect(listed.find(({ sample }) => sample === 'ABCPR0404K')).toMatchObject({
      input: 'pan',
      party: 'pan',
    });
  });

  it('are unique for each input', () => {
    const values = MAGIC_VALUES.map(({ what, value }) => `${what}: ${value}`);
    expect(new Set(values).size).toBe(values.length);
  });

  it.each(played)('behave as listed: $party, $input $value', ({ party, input, behaviour, sample }) => {
    expect(behaviourOf(party, input, sample)).toBe(behaviour);
  });

  it.each(played)('have one meaning: $input $sample', ({ input, sample }) => {
    const parties = new Set(played.map(({ party }) => party));
    const moved = [...parties].filter((party) => behaviourOf(party, input, sample) !== undefined);
    expect(moved).toHaveLength(1);
  });

  it.each([
    ['phone', '910503050300'],
    ['pan', 'ABCPR1234K'],
    ['account', '050305041234'],
    ['aadhaar', '204221230503'],
  ] as const)('do not include %s %s', (input, value) => {
    for (const { party } of played) expect(behaviourOf(party, input, value)).toBeUndefined();
  });
});
