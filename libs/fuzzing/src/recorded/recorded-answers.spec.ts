import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AnswerBook, differencesBetween, noteAnswer, readAnswers, writeAnswers } from './answer-book.js';
import { type AnswerForm, answerForm } from './answer-form.js';
import { ADDED, unexplained } from './intended-differences.js';

const options = { times: /\b20\d\d-\d\d-\d\dT[\d:.]+Z/g };
const ID = '0198c0de-0000-7000-8000-000000000001';
const OTHER_ID = '0198c0de-0000-7000-8000-000000000002';

const refusal = (...codes: string[]): AnswerForm => ({
  status: 400,
  headers: { 'cache-control': 'no-store' },
  body: { error: codes.map((errorCode) => ({ errorCode })) },
});
const bookOf = (answers: Readonly<Record<string, AnswerForm>>): AnswerBook =>
  new Map(Object.entries(answers));

describe('the form of an answer', () => {
  it('replaces ids, times, tokens and waits, and keeps equal ids equal', () => {
    const body = {
      id: ID,
      of: [OTHER_ID, ID],
      at: '2026-11-28T10:00:00.000Z',
      wait: 'in 7 seconds',
      refresh_token: 'x',
    };
    const headers = { date: 'now', 'x-request-id': ID, 'retry-after': '7', allow: 'GET' };
    expect(answerForm({ status: 200, headers, text: JSON.stringify(body) }, options)).toEqual({
      status: 200,
      headers: { 'x-request-id': '<id 1>', 'retry-after': '<any>', allow: 'GET' },
      body: {
        id: '<id 1>',
        of: ['<id 2>', '<id 1>'],
        at: '<time>',
        wait: 'in <number> seconds',
        refresh_token: '<refresh_token>',
      },
    });
  });

  it('keeps the text of an answer that is no JSON', () => {
    expect(answerForm({ status: 200, headers: {}, text: `page ${ID}` }, options).body).toBe('page <id 1>');
  });
});

it('reads recorded answers as they were written', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'fd-answers-')), 'answers.jsonl');
  const book = bookOf({ a: refusal('1', '2'), b: refusal('1', '2'), c: refusal() });
  noteAnswer(book, 'a', refusal('3'));
  const recording = new Map([
    ['x', book],
    ['y', bookOf({ a: refusal('1', '2') })],
  ]);
  writeAnswers(file, recording);
  expect(readAnswers(file)).toEqual(recording);
  expect([...book.keys()]).toEqual(['a', 'b', 'c', 'a (2)']);
});

describe('differences between answers', () => {
  const recorded = bookOf({ a: refusal('1', '2') });

  it('finds the order of error items, a status, a header, and a call that is not made', () => {
    expect(differencesBetween(recorded, bookOf({ a: refusal('2', '1') }))).toEqual([
      { call: 'a', at: 'body.error.0.errorCode', was: '1', is: '2' },
      { call: 'a', at: 'body.error.1.errorCode', was: '2', is: '1' },
    ]);
    const other = { ...refusal('3'), status: 422, headers: { 'cache-control': 'private' } };
    expect(differencesBetween(recorded, bookOf({ a: other }))).toEqual([
      { call: 'a', at: 'status', was: 400, is: 422 },
      { call: 'a', at: 'headers.cache-control', was: 'no-store', is: 'private' },
      { call: 'a', at: 'body', is: other.body },
    ]);
    expect(differencesBetween(recorded, new Map())).toEqual([{ call: 'a', at: 'call', was: 'made' }]);
  });

  it('ignores the answers of calls that were not recorded', () => {
    expect(differencesBetween(recorded, bookOf({ a: refusal('1', '2'), b: refusal('3') }))).toEqual([]);
  });

  it('compares the items of a list by their codes or purposes, if each has its own', () => {
    const listOf = (...items: object[]) => bookOf({ a: { status: 200, headers: {}, body: { list: items } } });
    const [one, two, three] = [
      { code: 'A', x: 1 },
      { code: 'B', x: 2 },
      { code: 'C', x: 3 },
    ];
    const found = differencesBetween(listOf(one, three), listOf(one, two, three));
    expect(found).toEqual([
      { call: 'a', at: 'body.list.B.code', was: undefined, is: 'B' },
      { call: 'a', at: 'body.list.B.x', was: undefined, is: 2 },
    ]);
    const added = { because: 'x', at: 'body.list.B.*', is: ADDED };
    expect(unexplained(found, [added])).toEqual({ differences: [], past: [] });
    const lost = differencesBetween(listOf(one, two), listOf(one));
    expect(unexplained(lost, [added]).differences).toEqual(lost);
    expect(differencesBetween(listOf(one, one), listOf(one, two)).map(({ at }) => at)).toContain(
      'body.list.1.x',
    );
  });

  it('accepts exactly the intended ones, and names those that no longer occur', () => {
    const found = differencesBetween(recorded, bookOf({ a: refusal('1', '3') }));
    const intended = { because: 'x', at: 'body.error.*.errorCode', was: '2', is: '3' };
    expect(unexplained(found, [intended])).toEqual({ differences: [], past: [] });
    for (const other of [{ is: '4' }, { was: '1' }, { at: 'body.error.0.errorCode' }, { calls: '^b' }]) {
      const wrong = { ...intended, ...other };
      expect(unexplained(found, [wrong])).toEqual({ differences: found, past: [wrong] });
    }
  });
});
