import { randomUUID } from 'node:crypto';
import { SessionErrors } from '@fd/errors';
import type { Request } from 'express';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { jwksText, settings } from '../../../test/support/settings.js';
import { usersConfig } from '../../config/index.js';
import { JwtStrategy } from './jwt.strategy.js';
import type { SessionsRepository } from './sessions.repository.js';
import { ACCESS_TOKEN_AUDIENCE, ACCESS_TOKEN_TYPE } from './sessions.service.js';
import { jwtTime, signedJwt } from './signed-jwt.js';

describe('JwtStrategy', () => {
  const config = usersConfig(settings({ JWT_KEYS: jwksText('signs') })).tokens;
  const key = config.keys[0]!;

  /** A strategy whose keys can be removed: then it accepts only remembered tokens. */
  function aStrategy() {
    const keys = [key];
    const clock = new FakeClock();
    const closed = new Set<string>();
    const findOpen = (sessionId: string) =>
      Promise.resolve(closed.has(sessionId) ? undefined : { isUnconfirmed: false, isUnshared: false });
    const sessions = { findOpen } as unknown as SessionsRepository;
    const strategy = new JwtStrategy({ ...config, keys }, sessions, clock);
    const outcomeOf = (token: string) =>
      new Promise((resolve) => {
        const attempt = { success: resolve, fail: resolve, error: resolve };
        Object.assign(Object.create(strategy) as JwtStrategy, attempt).authenticate({
          headers: { authorization: `Bearer ${token}` },
        } as Request);
      });
    /** As `outcomeOf`, after the check of a signature. */
    const validate = ({ token, claims }: ReturnType<typeof aToken>) =>
      strategy.validate({ headers: { authorization: `Bearer ${token}` } } as Request, claims);
    return {
      outcomeOf,
      validate,
      clock,
      close: (sessionId: string) => closed.add(sessionId),
      loseKeys: () => keys.pop(),
    };
  }

  function aToken(lifeSeconds = 900) {
    const identity = {
      userId: randomUUID(),
      sessionId: randomUUID(),
      isUnconfirmed: false,
      isUnshared: false,
    };
    const exp = jwtTime(new Date()) + lifeSeconds;
    const claims = { sub: identity.userId, sid: identity.sessionId, nbf: exp - 900, exp };
    const token = signedJwt(key, ACCESS_TOKEN_TYPE, {
      ...claims,
      iss: config.issuer,
      aud: ACCESS_TOKEN_AUDIENCE,
    });
    return { token, claims, identity };
  }

  afterEach(() => jest.useRealTimers());

  it('verifies a token once', async () => {
    const { outcomeOf, loseKeys } = aStrategy();
    const [first, other] = [aToken(), aToken()];
    expect(await outcomeOf(first.token)).toEqual(first.identity);
    loseKeys();
    expect(await outcomeOf(first.token)).toEqual(first.identity);
    expect(await outcomeOf(other.token)).toEqual(SessionErrors.tokenInvalid());
  });

  it('refuses a token before and after its time by the clock of the service, cached or not', async () => {
    // a token of whole seconds, whose end is compared to the second
    jest.useFakeTimers({
      doNotFake: [
        'hrtime',
        'nextTick',
        'performance',
        'queueMicrotask',
        'setImmediate',
        'clearImmediate',
        'setInterval',
        'clearInterval',
        'setTimeout',
        'clearTimeout',
      ],
    });
    const { outcomeOf, clock } = aStrategy();
    const { token, identity } = aToken(100);
    expect(await outcomeOf(token)).toEqual(identity);
    // 30 seconds of tolerance
    clock.advanceSeconds(128);
    expect(await outcomeOf(token)).toEqual(identity);
    clock.advanceSeconds(2);
    for (const late of [token, aToken(100).token])
      expect(await outcomeOf(late)).toEqual(SessionErrors.tokenExpired());
    clock.reset();
    expect(await outcomeOf(token)).toEqual(identity);
    clock.advanceSeconds(-900);
    for (const early of [token, aToken(100).token])
      expect(await outcomeOf(early)).toEqual(SessionErrors.tokenInvalid());
  });

  it('does not confuse a cached token with one of another signature or other claims', async () => {
    const { outcomeOf } = aStrategy();
    const { token } = aToken();
    await outcomeOf(token);
    const [header, claims, signature] = token.split('.') as [string, string, string];
    const [otherHeader, otherClaims, otherSignature] = aToken().token.split('.') as [string, string, string];
    expect(otherHeader).toBe(header);
    for (const forged of [`${header}.${claims}.${otherSignature}`, `${header}.${otherClaims}.${signature}`])
      expect(await outcomeOf(forged)).toMatchObject({ message: 'invalid signature' });
  });

  it('refuses a cached token after the end of its session', async () => {
    const { outcomeOf, close } = aStrategy();
    const { token, identity } = aToken();
    expect(await outcomeOf(token)).toEqual(identity);
    close(identity.sessionId);
    expect(await outcomeOf(token)).toEqual(SessionErrors.ended());
  });

  it('caches 5,000 tokens and drops the oldest', async () => {
    const { outcomeOf, validate, loseKeys } = aStrategy();
    const [oldest, second] = [aToken(), aToken()];
    for (const { token } of [oldest, second]) await outcomeOf(token);
    // more signatures would prove nothing more
    for (let i = 0; i < 4_999; i++) await validate({ ...oldest, token: String(i) });
    loseKeys();
    expect(await outcomeOf(oldest.token)).toEqual(SessionErrors.tokenInvalid());
    expect(await outcomeOf(second.token)).toEqual(second.identity);
  });
});
