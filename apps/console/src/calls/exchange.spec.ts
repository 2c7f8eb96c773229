import { type Exchange, isAbout, refusalsOf, shownCalls } from './exchange.js';

const REFUSED: Exchange = {
  id: 1,
  title: 'Send a code',
  isBackground: false,
  request: { method: 'POST', url: 'http://localhost:3001/auth/register', headers: {}, body: { phone: '12' } },
  durationMs: 3,
  at: '2026-11-23T08:00:00.000Z',
  answer: {
    status: 400,
    headers: {},
    body: {
      error: [
        { errorCode: 'SVCUSER1001', field: 'phone', f_error_message: 'Enter a phone number.' },
        { errorCode: 'SVCUSER1002', error: 'The call was refused.' },
      ],
    },
  },
};

describe('a refused call', () => {
  it('names each refused field, and none where the whole call is refused', () => {
    expect(refusalsOf(REFUSED)).toEqual([
      { code: 'SVCUSER1001', field: 'phone', text: 'Enter a phone number.' },
      { code: 'SVCUSER1002', field: '', text: 'The call was refused.' },
    ]);
  });

  it.each([
    ['/AUTH/register', true],
    ['send a code', true],
    ['400', true],
    ['SVCUSER1002', true],
    ['bank', false],
    ['', true],
  ])('finds a refused call by its address, title, status and bodies: %j', (text, isFound) => {
    expect(isAbout(REFUSED, text)).toBe(isFound);
  });
});

describe('the shown calls of the log', () => {
  const own: Exchange = { ...REFUSED, id: 2, isBackground: true };
  const good: Exchange = { ...REFUSED, id: 3, answer: { status: 200, headers: {}, body: {} } };
  const ALL = { isAll: false, isFailedOnly: false, search: '' };

  it.each([
    ['no calls', [], {}, [], false],
    ['calls of the console alone', [own], {}, [], false],
    ['calls of the console alone, which are shown', [own], { isAll: true }, [2], false],
    ['a search without a match', [good, own], { search: 'bank' }, [], true],
    ['a filter without a match', [good, own], { isFailedOnly: true }, [], true],
    ['a match', [good, REFUSED, own], { isFailedOnly: true }, [1], false],
  ])('with %s', (_case, exchanges, filter, ids, isHidden) => {
    const { shown, ...rest } = shownCalls(exchanges, { ...ALL, ...filter });
    expect([shown.map(({ id }) => id), rest.isHidden]).toEqual([ids, isHidden]);
  });
});
