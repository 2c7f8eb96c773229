import { LoginErrors, SessionErrors } from '@fd/errors';
import type { FinalState, Operation, PanClaim, Refresh, Register, Timed, Verify } from './history.js';
import { mostBetween, violationsIn } from './history-checker.js';

const at = (from: number, to: number, outcome: Timed['outcome'] = 'ok', code?: string): Timed => ({
  invokedAt: from,
  endedAt: to,
  outcome,
  code,
});
const register = (timed: Timed): Register => ({ kind: 'register', phone: 'p', ...timed });
const verify = (timed: Timed, otp = '111111', userId = 'u'): Verify => ({
  kind: 'verify',
  phone: 'p',
  otp,
  userId,
  ...timed,
});
const refresh = (timed: Timed, presented: string, successor?: string): Refresh => ({
  kind: 'refresh',
  session: 's',
  presented,
  successor,
  ...timed,
});
const claim = (timed: Timed, pan: string, userId: string): PanClaim => ({
  kind: 'pan',
  pan,
  userId,
  ...timed,
});
const wrong = (from: number): Verify =>
  verify(at(from, from + 1, 'fail', LoginErrors.otpWrong.code), '000000');
const many = (count: number, make: (i: number) => Operation): Operation[] =>
  Array.from({ length: count }, (_, i) => make(i));

const state = (messages = 0, count = 1): FinalState => ({
  messages: new Map([['p', messages]]),
  openTokens: [{ session: 's', count }],
});

describe('history checker', () => {
  it.each<[string, Operation[], FinalState]>([
    [
      'a send, a login and another send',
      [register(at(0, 1)), verify(at(2, 3)), register(at(4, 5))],
      state(2),
    ],
    ['a send without an answer whose message arrived', [register(at(0, 1, 'unknown'))], state(1)],
    ['a send without an answer and without a message', [register(at(0, 1, 'unknown'))], state(0)],
    ['an open send whose message was lost', [register(at(0, 1_200))], state(0)],
    [
      'a second login with a code whose first login had no answer',
      [register(at(0, 1)), verify(at(2, 3, 'unknown')), verify(at(4, 5))],
      state(1),
    ],
    [
      'ten sends around a login without an answer',
      [
        ...many(5, (i) => register(at(i, i))),
        verify(at(6, 7, 'unknown')),
        ...many(5, (i) => register(at(6_000 + i, 6_000 + i))),
      ],
      state(10),
    ],
    [
      'a code refused while another login with it runs',
      [register(at(0, 1)), verify(at(2, 9)), verify(at(3, 8, 'fail', LoginErrors.otpExpired.code))],
      state(1),
    ],
    ['parallel refreshes', [refresh(at(0, 5), 'a', 'b'), refresh(at(1, 4), 'a', 'b')], state()],
    [
      'a token too old to be repeated',
      [
        refresh(at(0, 1, 'unknown'), 'a'),
        refresh(at(26_000, 26_001, 'fail', SessionErrors.refreshTokenReused.code), 'a'),
      ],
      state(),
    ],
    ['one owner who claims twice', [claim(at(0, 1), 'A', 'u'), claim(at(2, 3), 'A', 'u')], state()],
  ])('accepts %s', (_name, history, final) => {
    expect(violationsIn(history, final)).toEqual([]);
  });

  it.each<[string, Operation[], FinalState, RegExp]>([
    [
      'a code that logs in twice',
      [register(at(0, 1)), verify(at(2, 3)), verify(at(2, 3))],
      state(1),
      /logged in 2 times/,
    ],
    [
      'a phone of two users',
      [verify(at(2, 3)), verify(at(4, 5), '222222', 'v')],
      state(),
      /more than one user/,
    ],
    ['a missing message', [register(at(0, 1)), register(at(2, 3))], state(1), /1 messages, not 2 to 2/],
    ['an unexpected message', [register(at(0, 1, 'fail'))], state(1), /1 messages, not 0 to 0/],
    ['a sixth send', many(6, (i) => register(at(i, i))), state(6), /6 sends without a login/],
    [
      'a sixth guess',
      [register(at(0, 1)), ...many(6, (i) => wrong(10 + i))],
      state(1),
      /6 wrong codes for one code/,
    ],
    [
      'a sixteenth guess across codes',
      many(16, (i) => (i % 4 === 3 ? register(at(i * 10, i * 10, 'unknown')) : wrong(i * 10))).concat(
        many(4, (i) => wrong(6_000 + i)),
      ),
      state(),
      /16 wrong codes without a login/,
    ],
    [
      'a valid code that is refused',
      [register(at(0, 1)), verify(at(2, 3, 'fail', LoginErrors.otpExpired.code))],
      state(1),
      /refused the code that it had just been sent/,
    ],
    [
      'a PAN of two owners',
      [claim(at(0, 1), 'A', 'u'), claim(at(2, 3), 'A', 'v')],
      state(),
      /PAN A has more than one owner/,
    ],
    [
      'a user with two PANs',
      [claim(at(0, 1), 'A', 'u'), claim(at(2, 3), 'B', 'u')],
      state(),
      /user u has more than one PAN/,
    ],
    [
      'a token with two successors',
      [refresh(at(0, 1), 'a', 'b'), refresh(at(0, 1), 'a', 'c')],
      state(),
      /token a has more than one successor/,
    ],
    [
      'a token with two predecessors',
      [refresh(at(0, 1), 'a', 'c'), refresh(at(0, 1), 'b', 'c')],
      state(),
      /token c has more than one predecessor/,
    ],
    [
      'a session lost by a refusal',
      [refresh(at(0, 1, 'fail', SessionErrors.refreshTokenInvalid.code), 'a')],
      state(),
      new RegExp(`refused with ${SessionErrors.refreshTokenInvalid.code}`),
    ],
    ['a session with two open tokens', [], state(0, 2), /has 2 tokens/],
  ])('finds %s', (_name, history, final, message) => {
    const violations = violationsIn(history, final);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toMatch(message);
  });

  it('counts only events that lie wholly between two boundaries', () => {
    const events = [at(0, 1), at(2, 12), at(13, 14), at(15, 16), at(21, 22)];
    expect(mostBetween([at(10, 11), at(20, 20)], events)).toBe(2);
    expect(mostBetween([], events)).toBe(5);
    // the call without an answer may take effect while these events run
    expect(mostBetween([at(10, 11, 'unknown')], events)).toBe(1);
  });
});
