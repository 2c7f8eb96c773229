import { type Exchange, isAbout, refusalsOf } from './exchange.js';

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
