import type { Response } from 'supertest';
import { effectsOf } from '../support/outside-call.js';
import { bootSandbox } from '../support/sandbox.js';
import { slowVendors } from '../support/slow-vendors.js';
import { vendorCalls } from '../support/vendor-calls.js';

describe('vendors that answer with XML, or after 8 seconds', () => {
  const sandbox = bootSandbox();
  // the last test reports a failure
  beforeAll(() => void slowVendors().catch(() => undefined));

  const { CALLS, READS } = vendorCalls(sandbox);

  const expectXml = ({ status, headers, text }: Response): void => {
    expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^application\/xml/)]);
    expect(text).toMatch(/^<answer>/);
  };

  it.each(Object.keys(CALLS))('answers with XML and has no effect: %s', async (name) => {
    expectXml(await CALLS[name]!('0506'));
    expect(await effectsOf(sandbox)).toEqual([]);
  });

  it.each(Object.keys(READS))(
    'answers the first read with XML, and the second one as asked: %s',
    async (name) => {
      const read = await READS[name]!('ABCPR0706K');
      expectXml(await read());
      const { status, body } = await read();
      expect([status, JSON.stringify(body)]).toEqual([200, expect.stringMatching(/xxxx-?\d{4}"/)]);
      const reads = (await effectsOf(sandbox)).filter(({ kind }) => kind === 'aadhaar_read');
      expect(reads).toHaveLength(2);
    },
  );

  it('answers after 8 seconds, with its effect', async () => {
    const { answers, effects } = await slowVendors();
    expect(answers).toHaveLength(9);
    for (const { status, contentType, milliseconds } of answers) {
      expect([status < 300, contentType]).toEqual([true, expect.stringMatching(/json/)]);
      expect(milliseconds).toBeGreaterThan(7_900);
      expect(milliseconds).toBeLessThan(20_000);
    }
    const kinds = effects.map(({ kind }) => kind);
    for (const [kind, count] of [
      ['message', 2],
      ['pan', 5],
      ['penny_drop', 2],
      ['aadhaar_read', 3],
    ] as const)
      expect([kind, kinds.filter((given) => given === kind).length]).toEqual([kind, count]);
  }, 40_000);
});
