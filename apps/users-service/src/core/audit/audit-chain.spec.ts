import { randomBytes } from 'node:crypto';
import { BankErrors, PanErrors } from '@fd/errors';
import fc from 'fast-check';
import { AUDIT_ACTIONS, AUDIT_OUTCOMES, type AuditAction } from './audit-actions.table.js';
import { type AuditEvent, AuditKeys, type ProvenEvent, type SealedEvent, textOf } from './audit-event.js';
import {
  breakAfter,
  checkpointAt,
  forgeryOf,
  GENESIS,
  type Head,
  headText,
  isGenuine,
  readHead,
  sealed,
} from './audit-chain.js';

const aKey = (id: string) => ({ id, bytes: randomBytes(32) });
const [older, newer, foreign] = [aKey('k1'), aKey('k2'), aKey('k1')];
const keys = new AuditKeys([newer, older]);
const olderKeys = new AuditKeys([older]);

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

const anEvent: fc.Arbitrary<AuditEvent> = fc.record({
  id: fc.uuid(),
  occurredAt: fc.date({ min: new Date(0), max: new Date('2099-12-31'), noInvalidDate: true }),
  actor: fc.oneof(
    fc.uuid().map((id) => `user:${id}` as const),
    fc.constant('unknown' as const),
  ),
  action: fc.constantFrom(...(Object.keys(AUDIT_ACTIONS) as AuditAction[])),
  subjectUserId: maybe(fc.uuid()),
  outcome: fc.constantFrom(...AUDIT_OUTCOMES),
  code: maybe(fc.constantFrom(BankErrors.holderDiffers.code, PanErrors.notFound.code)),
  issuerSlug: maybe(fc.constantFrom('aravalli', 'kaveri')),
  objectId: maybe(fc.uuid()),
  sessionId: maybe(fc.uuid()),
  requestId: maybe(fc.uuid()),
});

const proven = (event: AuditEvent, writer = keys): ProvenEvent => ({
  ...event,
  proof: writer.sign(textOf(event)),
});

/** The chain of some events, as sealers with these keys make it one after the other. */
function chainOf(events: readonly AuditEvent[], sealers: readonly AuditKeys[] = [keys]): SealedEvent[] {
  const chain: SealedEvent[] = [];
  events.forEach((event, index) => {
    const sealer = sealers[index % sealers.length]!;
    const sealedAt = new Date(1_800_000_000_000 + index);
    chain.push(sealed(sealer, chain.at(-1) ?? GENESIS, proven(event, sealer), sealedAt).event);
  });
  return chain;
}

/** The first break of a chain; undefined when it ends at the known head. */
function firstBreak(chain: readonly SealedEvent[], known: Head, start: Head = GENESIS) {
  let head = start;
  for (const event of chain) {
    const found = breakAfter(keys, head, event) ?? forgeryOf(keys, event);
    if (found) return found;
    head = event;
  }
  return head.seq === known.seq && head.hash === known.hash ? undefined : { seq: head.seq + 1 };
}

const aChain = fc.uniqueArray(anEvent, { minLength: 2, maxLength: 12, selector: ({ id }) => id });
const aPlace = fc.nat();

describe('the chain of the audit trail', () => {
  it('verifies a chain across a change of keys', () => {
    fc.assert(
      fc.property(aChain, (events) => {
        const chain = chainOf(events, [olderKeys, keys]);
        expect(firstBreak(chain, chain.at(-1)!)).toBeUndefined();
      }),
    );
  });

  it('reports any edit of any field, with its position', () => {
    fc.assert(
      fc.property(aChain, aPlace, anEvent, aPlace, (events, at, other, which) => {
        const chain = chainOf(events);
        const index = at % chain.length;
        const borrowed = { proof: chain.at(index - 1)!.proof, hash: chain.at(index - 1)!.hash };
        const edits = { ...other, ...borrowed, sealedAt: new Date(5) };
        const field = Object.keys(edits)[which % Object.keys(edits).length] as keyof typeof edits;
        const edited = { ...chain[index]!, [field]: edits[field] };
        const isSame = JSON.stringify(edited) === JSON.stringify(chain[index]);
        chain[index] = edited;
        expect(firstBreak(chain, chain.at(-1)!)).toEqual(
          isSame ? undefined : { seq: index + 1, problem: 'changed' },
        );
      }),
    );
  });

  it('reports a removed event, with or without renumbering', () => {
    fc.assert(
      fc.property(aChain, aPlace, fc.boolean(), (events, at, isRenumbered) => {
        const chain = chainOf(events);
        const head = chain.at(-1)!;
        const index = at % chain.length;
        const without = chain.filter((_, place) => place !== index);
        const left = isRenumbered ? without.map((event, place) => ({ ...event, seq: place + 1 })) : without;
        expect(firstBreak(left, head)?.seq).toBe(index + 1);
      }),
    );
  });

  it('reports two swapped events, with or without their numbers', () => {
    fc.assert(
      fc.property(aChain, aPlace, aPlace, fc.boolean(), (events, one, another, isRenumbered) => {
        const chain = chainOf(events);
        const head = chain.at(-1)!;
        const [first, second] = [one % chain.length, another % chain.length].sort((a, b) => a - b) as [
          number,
          number,
        ];
        fc.pre(first !== second);
        const swapped = [...chain];
        [swapped[first], swapped[second]] = [chain[second]!, chain[first]!];
        const left = isRenumbered ? swapped.map((event, place) => ({ ...event, seq: place + 1 })) : swapped;
        expect(firstBreak(left, head)?.seq).toBe(first + 1);
      }),
    );
  });

  it('reveals an event inserted without a key, at any place and in any form', () => {
    const stranger = new AuditKeys([{ ...foreign, id: newer.id }]);
    fc.assert(
      fc.property(aChain, aPlace, anEvent, (events, at, made) => {
        const chain = chainOf(events);
        const index = at % (chain.length + 1);
        const before = chain[index - 1] ?? GENESIS;
        const forgedEvent = sealed(stranger, before, proven(made, stranger), new Date()).event;
        const later = chain.slice(index).map((event) => ({ ...event, seq: event.seq + 1 }));
        const left = [...chain.slice(0, index), forgedEvent, ...later];
        expect(firstBreak(left, left.at(-1)!)).toEqual({ seq: index + 1, problem: 'changed' });
      }),
    );
  });

  it('reports a sealed event that the service did not write', () => {
    const [event] = fc.sample(anEvent, 1) as [AuditEvent];
    const byHand = { ...event, proof: `k2.${randomBytes(32).toString('hex')}` };
    const chain = [sealed(keys, GENESIS, byHand, new Date()).event];
    expect(firstBreak(chain, chain[0]!)).toEqual({ seq: 1, problem: 'forged' });
  });

  it('reports a truncated end, with a known head', () => {
    fc.assert(
      fc.property(aChain, aPlace, (events, at) => {
        const chain = chainOf(events);
        const left = chain.slice(0, at % chain.length);
        expect(firstBreak(left, chain.at(-1)!)?.seq).toBe(left.length + 1);
        // without a head it cannot be detected
        expect(firstBreak(left, left.at(-1) ?? GENESIS)).toBeUndefined();
      }),
    );
  });

  it('reports an unknown key instead of a change', () => {
    const chain = chainOf(fc.sample(anEvent, 1), [olderKeys]);
    expect(breakAfter(new AuditKeys([newer]), GENESIS, chain[0]!)).toEqual({
      seq: 1,
      problem: 'unknown-key',
    });
  });
});

describe('a checkpoint of the audit trail', () => {
  it('accepts a checkpoint only with the signature of the service', () => {
    const head = { seq: 7, hash: keys.sign('seven') };
    const checkpoint = checkpointAt(keys, head);
    expect(isGenuine(keys, checkpoint)).toBe(true);
    expect(isGenuine(keys, { ...checkpoint, seq: 8 })).toBe(false);
    expect(isGenuine(keys, { ...checkpoint, hash: keys.sign('eight') })).toBe(false);
    expect(isGenuine(keys, checkpointAt(new AuditKeys([foreign]), head))).toBe(false);
  });
});

describe('readHead', () => {
  it('reads a head only in its written form', () => {
    const head = { seq: 12_345, hash: keys.sign('x') };
    expect(readHead(headText(head))).toEqual(head);
    for (const text of [
      '',
      '1',
      '1:',
      `x:${head.hash}`,
      `${headText(head)} `,
      `1:${head.hash.slice(0, -1)}`,
    ]) {
      expect(readHead(text)).toBeUndefined();
    }
  });
});
