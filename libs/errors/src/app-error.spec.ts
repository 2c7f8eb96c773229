import { AppError, messageOf } from './app-error.js';
import { errorOf } from './catalogue.js';
import { LoginErrors } from './catalogue/login.js';
import { ERROR_CODES } from './examples.js';

describe('AppError', () => {
  it('takes the status and code of the first refusal', () => {
    expect(LoginErrors.tooManySends({ retryAfterSeconds: 3 })).toMatchObject({
      httpStatus: 429,
      code: LoginErrors.tooManySends.code,
    });
    const both = new AppError([{ error: LoginErrors.phoneInvalid }, { error: LoginErrors.tooManySends }]);
    expect(both).toMatchObject({ httpStatus: 400, code: LoginErrors.phoneInvalid.code });
  });

  it('takes status 400 and keeps the hint without refusals', () => {
    const error = AppError.unreadableRequest('Send JSON.');
    expect(error).toMatchObject({ httpStatus: 400, refusals: [], code: undefined, hint: 'Send JSON.' });
  });

  it('names the refused field and keeps its cause', () => {
    const cause = new Error('why');
    const error = LoginErrors.phoneInvalid({ field: 'phone', cause });
    expect(error.refusals).toEqual([{ error: LoginErrors.phoneInvalid, field: 'phone' }]);
    expect(error.cause).toBe(cause);
    expect(error).toBeInstanceOf(AppError);
  });

  it.each([
    [1, '1 second'],
    [42, '42 seconds'],
    [86_400, '86400 seconds'],
  ])('says in every message that names it to wait for %i: %s', (retryAfterSeconds, words) => {
    const all = ERROR_CODES.map((code) => errorOf(code));
    expect(all.filter(({ message }) => /\} (second|minute|hour|day)s/.test(message))).toEqual([]);
    const waiting = all.filter(({ message }) => message.includes('{wait}'));
    expect(waiting.length).toBeGreaterThan(5);
    for (const define of waiting)
      expect(messageOf(define, define({ retryAfterSeconds }))).toMatch(new RegExp(` in ${words}\\.$`));
  });

  it('leaves no placeholder in a message without parameters', () => {
    expect(messageOf(LoginErrors.otpWrong)).not.toMatch(/[{}]/);
  });
});
